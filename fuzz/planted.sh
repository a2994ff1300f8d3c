#!/usr/bin/env bash
# Plants bugs one at a time and prints the table of what found each: planted.sh [--list] [--fuzz] [NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."
# Apart from other builds, which would begin anew with other flags.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/planted"
export RUSTFLAGS="${RUSTFLAGS:-} --cfg pad_planted"
cargo test --locked --package spec-tests --tests --no-run
exec "$CARGO_TARGET_DIR/debug/planted" "$@"
