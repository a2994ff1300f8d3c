#!/usr/bin/env bash
# Makes each change that cargo-mutants proposes, one at a time, and records which test finds it. For help, run mutants.sh --help
set -euo pipefail
cd "$(dirname "$0")/.."
cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked
# cargo-mutants only lists the changes.
out=target/mutants
mkdir -p "$out/form/src"
cargo mutants --list --json --all-features --file 'pad-kernels/src/**' --file 'pad-macros/src/**' >"$out/list.json"
# cargo-mutants does not follow `include!`, so the file that both libraries include becomes a package. One of them has no `Vec`.
printf '[package]\nname = "form"\nedition = "2024"\n[workspace]\n' >"$out/form/Cargo.toml"
cp pad-macros/src/form.rs "$out/form/src/lib.rs"
cargo mutants --dir "$out/form" --list --json --exclude-re Vec:: | sed 's|src/lib\.rs|pad-macros/src/form.rs|' >"$out/form.json"
# Without a path, the script uses the files that this branch or the working tree has changed.
files=()
case " $* " in
*" pad-"* | *" -h "* | *" --help "*) ;;
*) mapfile -t files < <(git diff --name-only "$(git merge-base HEAD "${MAIN:-main}")" -- pad-kernels/src pad-macros/src) ;;
esac
# The limit stops changes that would use all memory.
ulimit -v 8388608
exec cargo run --locked --package spec-tests --bin mutants -- --listing "$out/list.json" --listing "$out/form.json" "$@" "${files[@]}"
