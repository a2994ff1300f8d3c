#!/usr/bin/env bash
# Runs cargo-mutants, which changes the code in one place at a time and runs the tests that say most in the least time.
#
#   fuzz/mutants.sh                    the lines that differ from the main branch ($MAIN, or main)
#   fuzz/mutants.sh ARGUMENT...        arguments of `cargo mutants`, such as `--file pad-kernels/src/plan/axis.rs` or `--shard 0/50`
set -euo pipefail
cd "$(dirname "$0")/.."
cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked
mkdir -p target
if [ $# -eq 0 ]; then
    git diff "$(git merge-base HEAD "${MAIN:-main}")" -- pad-kernels/src pad-macros/src >target/mutants.diff
    set -- --in-diff target/mutants.diff
fi
tests=(--lib)
for test in plans ui documents refusals reference regressions adjoint laws borders views ways nests options fixed computed random vectors; do
    tests+=(--test "$test")
done
# Random cases in part, and a change may take all the memory there is instead of all the time.
export PAD_CASES=1/5
ulimit -v 8388608
exec cargo mutants --package pad-kernels --package pad-macros --output target --minimum-test-timeout 60 \
    --test-package pad-kernels,pad-macros,spec-tests "$@" -- "${tests[@]}"
