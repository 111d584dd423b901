#!/usr/bin/env bash
# Measures how long it takes to put documents together, beside scikit-learn on the same documents in the same run, and how well both do.
#
# usage: scripts/clusters_speed.sh [DOCUMENTS] [LABELLED.jsonl]        (10000, made by `cargo bench --bench stories -- --write`)
#
# Needs Rust, a C compiler and python3; scikit-learn is installed into target/clusters-venv the first time. It holds all distances in
# memory: about 3 GB for 10,000 documents. AHA_RADAR names a binary to take instead of building one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
documents=${1:-10000}
[[ $documents =~ ^[0-9]+$ ]] || { echo "usage: scripts/clusters_speed.sh [DOCUMENTS] [LABELLED.jsonl]" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
input=${2:-}
if [[ -z $input ]]; then
    input=$folder/stream.jsonl
    cargo bench --locked --bench stories -- --write "$input" "$documents"
fi
binary=${AHA_RADAR:-}
if [[ -z $binary ]]; then
    cargo build --release --locked
    binary=$PWD/target/release/aha-radar
fi
venv=target/clusters-venv
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/python" -c "import sklearn" 2>/dev/null || "$venv/bin/pip" install --quiet scikit-learn
"$venv/bin/python" scripts/clusters_speed.py "$(realpath "$binary")" "$(realpath "$input")"
