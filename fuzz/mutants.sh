#!/usr/bin/env bash
# Tries what cargo-mutants would change, one change at a time, and notes which test finds it: mutants.sh --help
set -euo pipefail
cd "$(dirname "$0")/.."
cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked
# cargo-mutants only makes the list.
out=target/mutants
mkdir -p "$out/form/src"
cargo mutants --list --json --all-features --file 'pad-kernels/src/**' --file 'pad-macros/src/**' >"$out/list.json"
# It does not follow `include!`: the file that both libraries include is listed as a package. One of them has no `Vec`.
printf '[package]\nname = "form"\nedition = "2024"\n[workspace]\n' >"$out/form/Cargo.toml"
cp pad-macros/src/form.rs "$out/form/src/lib.rs"
cargo mutants --dir "$out/form" --list --json --exclude-re Vec:: | sed 's|src/lib\.rs|pad-macros/src/form.rs|' >"$out/form.json"
# Without a path, the files that this branch and the working tree change.
files=()
case " $* " in
*" pad-"* | *" -h "* | *" --help "*) ;;
*) mapfile -t files < <(git diff --name-only "$(git merge-base HEAD "${MAIN:-main}")" -- pad-kernels/src pad-macros/src) ;;
esac
# A change may take all the memory there is, instead of all the time.
ulimit -v 8388608
exec cargo run --locked --package spec-tests --bin mutants -- --listing "$out/list.json" --listing "$out/form.json" "$@" "${files[@]}"
