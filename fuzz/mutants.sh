#!/usr/bin/env bash
# Changes the code in one small way after the other and tells which changes no test noticed.
#
#   fuzz/mutants.sh AREA [--shard 0/8 ...]
#
# AREA is plan, dialect or macros; what follows is for cargo-mutants. Each change meets the tests of its own crate first,
# and if these let it pass the quick ones of spec-tests that also look for seeded faults.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked
export PAD_CASES=150 CARGO_PROFILE_DEV_DEBUG=false

area=${1:-}
case "$area" in
plan)
    files=(--file 'pad-kernels/src/plan/*.rs')
    own=(--test-package pad-kernels -- --lib --test plans)
    ;;
dialect)
    files=(--file 'pad-kernels/src/dialect/*.rs')
    own=(--test-package pad-kernels -- --lib)
    ;;
macros)
    files=(--file 'pad-macros/src/**/*.rs' --exclude 'pad-macros/src/output_tests/*')
    own=(--test-package pad-macros -- --lib --test ui)
    ;;
*)
    echo "which area: plan, dialect or macros?" >&2
    exit 1
    ;;
esac
shift

out=target/mutants/$area
mkdir -p "$out"
# What does not end is noticed, too.
mutants=(cargo mutants --all-features "${files[@]}")
status=0
"${mutants[@]}" --output "$out/own" --minimum-test-timeout 30 "$@" "${own[@]}" || status=$?
# 2: some were let through.
[ "$status" -eq 2 ] || exit "$status"

missed=()
while read -r name; do
    missed+=(--re "^$(sed 's/[][\.*^$+?(){}|]/\\&/g' <<<"$name")\$")
done <"$out/own/mutants.out/missed.txt"
# Without a baseline, which would ask the changed crate for tests of these names.
"${mutants[@]}" --output "$out/missed" --baseline skip --timeout 120 "${missed[@]}" --test-package spec-tests -- \
    --test documents --test refusals --test regressions --test laws --test dialects --test fixed --test views
