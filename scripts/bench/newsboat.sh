#!/usr/bin/env bash
# Whole ingests beside newsboat's: generated sources, each on a host of its own on 127.x.y.z, from the same server without a gap.
#
# usage: scripts/bench/newsboat.sh [SOURCES [ITEMS]]        (1000 25)
#
# newsboat is timed over `newsboat -x reload`; aha-radar from its start, which makes its database, to the end of its stage
# `ingest`, where it is interrupted. Both fetch eight sources at once, three times in turns, and the fastest pass of each counts.
# Then aha-radar looks at all sources once more: what the server answered, and which tables changed, is printed. AHA_RADAR names a
# program that is built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/bench/newsboat.sh: $1" >&2
    exit 2
}
sources=${1:-1000}
items=${2:-25}
[[ $sources =~ ^[1-9][0-9]*$ && $items =~ ^[1-9][0-9]*$ ]] || fail "SOURCES and ITEMS have to be numbers above 0"
command -v newsboat >/dev/null || fail "newsboat is missing (Debian: apt install newsboat)"
command -v python3 >/dev/null || fail "python3 is missing"
source scripts/bench/common.sh
release_program
exec python3 scripts/bench/ingest_newsboat.py "$AHA_RADAR" "$sources" "$items"
