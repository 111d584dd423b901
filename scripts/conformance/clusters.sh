#!/usr/bin/env bash
# Measures how stories are put together, on labelled documents: tuned on one half and tested on the other, and the reverse, beside
# scikit-learn's TF-IDF with average link in the same run.
#
# usage: scripts/conformance/clusters.sh [--weights FOLDER] LABELLED.jsonl [SEEDS]
#
# With --weights once by words alone, and once with vectors from that folder besides (AHA_EMBED_MODEL_DIR).
#
# Needs Rust, a C compiler and python3; scikit-learn is installed into target/bench-venv. AHA_RADAR names a binary to take instead of
# building one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/conformance/clusters.sh: $1" >&2
    exit 2
}

weights=
if [[ ${1:-} == --weights && -d ${2:-} ]]; then
    weights=$(realpath "$2")
    shift 2
fi
[[ $# -ge 1 && -f $1 ]] || fail "usage: scripts/conformance/clusters.sh [--weights FOLDER] LABELLED.jsonl [SEEDS]"
input=$(realpath "$1")
source scripts/bench/common.sh
python_with scikit-learn
release_program
exec "$python" scripts/conformance/clusters.py "$(realpath "$AHA_RADAR")" "$input" "${2:-5}" ${weights:+"$weights"}
