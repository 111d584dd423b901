#!/usr/bin/env bash
# Measures how long it takes to put documents together, beside scikit-learn on the same documents in the same run, and how well both do.
#
# usage: scripts/bench/clusters.sh [DOCUMENTS] [LABELLED.jsonl]        (10000, made by `cargo bench --bench stories -- --write`)
#
# Needs Rust, a C compiler and python3; scikit-learn is installed into target/bench-venv. It holds all distances in memory: about 3 GB
# for 10,000 documents. AHA_RADAR names a binary to take instead of building one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/bench/clusters.sh: $1" >&2
    exit 2
}

documents=${1:-10000}
[[ $documents =~ ^[0-9]+$ ]] || fail "usage: scripts/bench/clusters.sh [DOCUMENTS] [LABELLED.jsonl]"
source scripts/bench/common.sh
python_with scikit-learn
release_program
# Its last line names the program that it made.
bench=$(cargo bench --locked --bench stories --no-run 2>&1 | sed -nE 's/.*\((.*stories-[0-9a-f]+)\)$/\1/p')
[[ -x $bench ]] || fail "cargo bench --bench stories does not build"
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
input=${2:-$folder/stream.jsonl}
[[ -n ${2:-} ]] || "$bench" --write "$input" "$documents"
"$python" scripts/bench/clusters.py "$(realpath "$AHA_RADAR")" "$bench" "$input"
