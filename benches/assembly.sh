#!/usr/bin/env bash
# Writes the machine code of a few primitives for AVX2 to benches/assembly/, where a change of it can be read:
#
#   benches/assembly.sh [PROGRAM]     of `instructions` as it is built, or of another program with the library in it
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-}
if [ -z "$program" ]; then
    cargo build --quiet --release -p benches --bin instructions
    program=${CARGO_TARGET_DIR:-target}/release/instructions
fi

# write FILE FUNCTION
write() {
    objdump --disassemble --demangle --no-show-raw-insn --no-addresses --visualize-jumps "$program" |
        awk -v function_="<$2>:" '/^$/ {inside = 0} inside && !/int3/; $0 == function_ {inside = 1}' |
        # Arrows show where jumps lead to.
        sed -E 's/[[:space:]]+#.*//; s/[0-9a-f]* ?<.*(\+0x[0-9a-f]+)>$//; s/[[:space:]]+$//; s/\t/ /g' \
        >"benches/assembly/$1.s"
    [ -s "benches/assembly/$1.s" ] || { echo "there is no $2 in $program" >&2; return 1; }
}

mkdir -p benches/assembly
vector="<pad_kernels::kernel::vector::x86::Avx2 as pad_kernels::kernel::vector::Vector>"
write stream_avx2 "$vector::stream"
write cells_avx2 "$vector::cells"
