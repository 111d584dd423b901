#!/usr/bin/env bash
# Whole ingests beside Python's feedparser with sqlite3: the same feeds from the same server, fetched, parsed and stored in SQLite.
#
# usage: scripts/bench/ingest.sh [FOLDER]
#
# Each feed has a host of its own, 127.0.0.x, which may be asked without a gap. feedparser runs in one process, a feed after the
# other, a transaction a feed, and is timed from its first request; aha-radar from its start, which makes its database, to the
# end of its stage `ingest`, where it is interrupted. It also makes plain text, sanitised markup and language of every body.
# JSON feeds are left out, since feedparser does not read them. AHA_RADAR names a program that is built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/bench/ingest.sh: $1" >&2
    exit 2
}
folder=${1:-}
if [[ -z $folder ]]; then
    folder=../shared/data/feeds-real
    [[ -d $folder ]] || folder=examples/feeds
fi
[[ -d $folder ]] || fail "there is no folder $folder"
source scripts/bench/common.sh
python_with 'feedparser==6.0.14'
release_program
exec "$python" scripts/bench/ingest_feedparser.py "$AHA_RADAR" "$folder"
