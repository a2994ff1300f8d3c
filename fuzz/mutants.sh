#!/usr/bin/env bash
# Runs cargo-mutants, which changes the code in one place at a time. For each change, it runs the tests that find most faults per
# second.
#
#   fuzz/mutants.sh                    changes the lines that differ from the main branch ($MAIN, or main)
#   fuzz/mutants.sh ARGUMENT...        passes the arguments to `cargo mutants`, such as `--shard 0/50`
set -euo pipefail
cd "$(dirname "$0")/.."
cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked
mkdir -p target
if [ $# -eq 0 ]; then
    git diff "$(git merge-base HEAD "${MAIN:-main}")" -- pad-kernels/src pad-macros/src >target/mutants.diff
    set -- --in-diff target/mutants.diff
fi
tests=(--lib)
for test in plans ui refusals reference regressions adjoint laws borders views ways nests options fixed computed random vectors; do
    tests+=(--test "$test")
done
# The tests run a part of their random cases. The limit of 8 GiB stops a changed program that allocates without end.
export PAD_CASES=1/5
ulimit -v 8388608
exec cargo mutants --package pad-kernels --package pad-macros --output target --minimum-test-timeout 60 \
    --test-package pad-kernels,pad-macros,spec-tests "$@" -- "${tests[@]}"
