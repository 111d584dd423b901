#!/usr/bin/env bash
# Measures how stories are put together, on labelled documents: tuned on one half and tested on the other, and the reverse, beside
# scikit-learn's TF-IDF with average link in the same run.
#
# usage: scripts/clusters.sh [--weights FOLDER] LABELLED.jsonl [SEEDS]
#
# With --weights once by words alone, and once with vectors from that folder besides (AHA_EMBED_MODEL_DIR).
#
# Needs Rust, a C compiler and python3; scikit-learn is installed into target/clusters-venv the first time. AHA_RADAR names a binary
# to take instead of building one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
weights=
if [[ ${1:-} == --weights && -d ${2:-} ]]; then
    weights=$(realpath "$2")
    shift 2
fi
[[ $# -ge 1 && -f $1 ]] || { echo "usage: scripts/clusters.sh [--weights FOLDER] LABELLED.jsonl [SEEDS]" >&2; exit 2; }
input=$(realpath "$1")
binary=${AHA_RADAR:-}
if [[ -z $binary ]]; then
    cargo build --release --locked
    binary=$PWD/target/release/aha-radar
fi
venv=target/clusters-venv
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/python" -c "import sklearn" 2>/dev/null || "$venv/bin/pip" install --quiet scikit-learn
exec "$venv/bin/python" scripts/clusters.py "$(realpath "$binary")" "$input" "${2:-5}" ${weights:+"$weights"}
