#!/usr/bin/env bash
# Lists and counts the tuning constants of kernels and plans. It lists a constant if its comment quotes a measured time, or if its
# value is a call of `threshold`, which lowers the constant in tests. It leaves out constants of gradients, computed borders and
# tests.
#
#   benches/constants.sh
set -euo pipefail
cd "$(dirname "$0")/../pad-kernels/src"
find kernel plan -name '*.rs' ! -path 'kernel/adjoint/*' ! -path 'kernel/computed/*' ! -name tests.rs \
    ! -path plan/adjoint.rs ! -path plan/fold.rs | sort | xargs awk '
    FNR == 1 {measured = documents = 0}
    /^ *\/\/\// {if (!documents) measured = 0; documents = 1; if (/ (took|takes|times|measured)( |,|;|\.|$)/) measured = 1; next}
    {documents = 0}
    /^ *(pub(\([a-z: ]+\))? )?const [A-Z0-9_]+: [^=]+ = / {
        if (measured || /threshold\(/) {sub(/^ *(pub(\([a-z: ]+\))? )?const /, ""); print FILENAME ":" FNR ": " $0; count++}
        next
    }
    {measured = 0}
    END {print count " tuning constants"}'
