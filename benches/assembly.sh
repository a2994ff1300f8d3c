#!/usr/bin/env bash
# Writes the machine code of two functions for AVX2 to benches/assembly/, to review how a change of the code affects it. One
# function runs a program (a list of moves) with ordinary stores, and the other with non-temporal stores.
#
#   benches/assembly.sh [PROGRAM]     reads PROGRAM, which must contain the library (default: `instructions`, which it builds)
set -euo pipefail
case ${1:-} in
    -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0" && exit ;;
esac
program=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."
if [ -z "$program" ]; then
    cargo build --quiet --release -p benches --bin instructions
    program=${CARGO_TARGET_DIR:-target}/release/instructions
fi

# write FILE SHELL: writes the machine code of the shell to benches/assembly/FILE.s.
write() {
    local code
    code=$(objdump --disassemble --demangle --no-show-raw-insn --no-addresses --visualize-jumps "$program" |
        # A function begins with its name. The shells of an instruction set have their own module.
        awk -v shell="Avx2>::$2>:" '
            /^$/ {inside = 0}
            inside && !/int3/
            /^<.*::generated::shells_avx2::/ && substr($0, length($0) - length(shell) + 1) == shell {inside = 1}' |
        # objdump draws arrows to the targets of jumps, so this command removes the addresses of the targets.
        sed -E 's/[[:space:]]+#.*//; s/[0-9a-f]* ?<.*(\+0x[0-9a-f]+)>$//; s/[[:space:]]+$//; s/\t/ /g')
    [ -n "$code" ] || { echo "there is no shell $2 of AVX2 in $program" >&2; return 1; }
    printf '%s\n' "$code" >"benches/assembly/$1.s"
}

mkdir -p benches/assembly
write run_program_avx2 run_program
write stream_program_avx2 stream_program
