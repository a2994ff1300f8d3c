#!/usr/bin/env bash
# Puts the faults of fuzz/faults.toml into the code one at a time, and records which test finds each fault. For help, run
# fuzz/faults.sh --help
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --locked --package spec-tests --bin faults -- "$@"
