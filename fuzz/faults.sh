#!/usr/bin/env bash
# Seeds the faults of fuzz/faults.toml one at a time, and records which test finds each. For help, run faults.sh --help
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --locked --package spec-tests --bin faults -- "$@"
