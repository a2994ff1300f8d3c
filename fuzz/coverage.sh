#!/usr/bin/env bash
# How much of the library and of the macros is run, by folder, and which lines are not.
#
#   fuzz/coverage.sh tests               by the tests
#   fuzz/coverage.sh corpus [SECONDS]    by the seeds and so many seconds of fuzzing from them, each target
#
# The lines that were never run are written to never.txt of the target folder.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(rustc --print target-libdir)/../bin
[ -x "$tools/llvm-cov" ] || rustup component add llvm-tools
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/coverage"
profiles=$CARGO_TARGET_DIR/profiles
rm -rf "$profiles"
mkdir -p "$profiles"
export RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$profiles/%m-%p.profraw"

objects=()
case "${1:-}" in
tests)
    tests=(--locked -p pad-macros -p pad-kernels -p spec-tests --lib --bins --tests)
    while read -r binary; do
        objects+=(--object "$binary")
    done < <(cargo test "${tests[@]}" --no-run --message-format=json | grep -o '"executable":"[^"]*"' | cut -d'"' -f4)
    cargo test "${tests[@]}" >/dev/null
    # Macros are run by the compiler, too.
    for macros in "$CARGO_TARGET_DIR"/debug/deps/libpad_macros-*.so; do
        objects+=(--object "$macros")
    done
    ;;
corpus)
    cargo fuzz build -s none
    for target in fuzz/fuzz_targets/*.rs; do
        target=$(basename "$target" .rs)
        mkdir -p "$profiles/$target"
        cargo fuzz run -s none "$target" "$profiles/$target" "fuzz/seeds/$target" -- \
            -seed=1 -max_total_time="${2:-30}" -print_final_stats=0 2>/dev/null
        objects+=(--object "$CARGO_TARGET_DIR/$host/release/$target")
    done
    ;;
*)
    echo "of what: tests or corpus?" >&2
    exit 1
    ;;
esac

"$tools/llvm-profdata" merge --sparse --failure-mode=all "$profiles"/*.profraw --output "$profiles/all.profdata"
of=("${objects[@]}" --instr-profile "$profiles/all.profdata" "$PWD/pad-kernels/src" "$PWD/pad-macros/src")
"$tools/llvm-cov" show "${of[@]}" 2>/dev/null |
    awk '/^\/.*:$/ { file = $0 } /^ +[0-9]+\| +0\|/ { print file $0 }' >"$CARGO_TARGET_DIR/never.txt"
"$tools/llvm-cov" report "${of[@]}" 2>/dev/null | awk '
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
