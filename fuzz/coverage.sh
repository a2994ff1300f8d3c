#!/usr/bin/env bash
# Fuzzes each target, and prints how many lines of the library the targets cover. For the macros, the script prints how many lines
# their tests and the builds of the library cover.
#
#   fuzz/coverage.sh [SECONDS]      fuzzes each target from its seeds for SECONDS seconds (default 30)
#
# The script writes the lines that were never executed to a file, and prints the name of the file.
set -euo pipefail
case ${1:-30} in
    *[!0-9]*) sed -n '2,7s/^# \{0,1\}//p' "$0" && exit ;;
esac
cd "$(dirname "$0")/.."
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
tools=$(rustc --print target-libdir)/../bin
[ -x "$tools/llvm-cov" ] || rustup component add llvm-tools
host=$(rustc -vV | sed -n 's/^host: //p')
# The build has its own folder. Its flags are different, so in a shared folder cargo would build everything again.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/coverage"
profiles=$CARGO_TARGET_DIR/profiles
rm -rf "$profiles" "$CARGO_TARGET_DIR"/debug/deps/{lib,}pad_macros-*
mkdir -p "$profiles"
export RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$profiles/%m-%p.profraw"

# cargo-fuzz names a target, so cargo passes RUSTFLAGS to the code for that target, but not to the macros.
cargo fuzz build -s none
objects=()
for target in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$target" .rs)
    mkdir -p "$profiles/$target"
    cargo fuzz run -s none "$target" "$profiles/$target" "fuzz/seeds/$target" -- \
        -seed=1 -max_total_time="${1:-30}" >"$profiles/$target.log" 2>&1 || {
        cat "$profiles/$target.log" >&2
        exit 1
    }
    grep "^$target:" "$profiles/$target.log"
    objects+=(--object "$CARGO_TARGET_DIR/$host/release/$target")
done

# These commands name no target, so cargo passes RUSTFLAGS to the macros as well. The tests and the compiler execute them.
cargo test --locked --quiet -p pad-macros --lib --test ui >/dev/null
cargo check --locked --quiet -p pad-kernels -p spec-tests --tests
for macros in "$CARGO_TARGET_DIR"/debug/deps/{lib,}pad_macros-*; do
    [ ! -x "$macros" ] || objects+=(--object "$macros")
done

"$tools/llvm-profdata" merge --sparse --failure-mode=all "$profiles"/*.profraw --output "$profiles/all.profdata"
of=("${objects[@]}" --instr-profile "$profiles/all.profdata" --sources "$PWD/pad-kernels/src" "$PWD/pad-macros/src")
never=$CARGO_TARGET_DIR/never.txt
"$tools/llvm-cov" show "${of[@]}" |
    awk '/^\/.*:$/ { file = $0 } /^ +[0-9]+\| +0\|/ { print file $0 }' >"$never"
"$tools/llvm-cov" report "${of[@]}" | awk '
    $1 ~ /\.rs$/ {
        folder = $1
        if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
        regions[folder] += $2; not_run[folder] += $3; lines[folder] += $8; missed[folder] += $9
    }
    END {
        for (folder in lines)
            printf "%-32s regions %5.1f %% of %5d, lines %5.1f %% of %5d\n", folder,
                100 - 100 * not_run[folder] / regions[folder], regions[folder],
                100 - 100 * missed[folder] / lines[folder], lines[folder]
    }' | sort
echo "never run: $never"
