#!/usr/bin/env bash
# How a run over 300 new items slows down as the items stored grow from 3,000 to 100,000, on SQLite and on Postgres.
#
# usage: scripts/bench/scale.sh [ITEMS]        (100000)
#
# Makes an installation of 3,000 items by real daily runs over 20 generated feeds, at 100 items a day (AHA_SCALE_A_DAY), so that the 30
# days a run looks back over are full in both cases. A second one has the same days written again, further and further back, until
# ITEMS are stored. Then the same run on each: five times, each on a fresh copy. Postgres is a throw-away server (scripts/postgres.sh),
# filled by `aha-radar copy`. With AHA_SCALE_A_DAY=300 the first installation is 10 days old, so the second also has three times as much
# to look back over. Prints milliseconds by stage. AHA_RADAR names a program that is built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
items=${1:-100000}
[[ $items =~ ^[0-9]+$ ]] && ((items >= 6000)) || {
    echo "scripts/bench/scale.sh: ITEMS is a number, 6000 at least, not '$items'" >&2
    exit 2
}
command -v python3 >/dev/null || {
    echo "scripts/bench/scale.sh: python3 is missing" >&2
    exit 2
}
if [[ -z ${AHA_RADAR:-} ]]; then
    echo "building the release" >&2
    cargo build --profile dist --locked
    folder=${CARGO_TARGET_DIR:-target}
    AHA_RADAR=$(cd "$folder" && pwd)/dist/aha-radar
fi
export AHA_RADAR
if [[ -z ${AHA_TEST_POSTGRES_URL:-} ]]; then
    exec bash scripts/postgres.sh python3 scripts/bench/scale.py "$items"
fi
exec python3 scripts/bench/scale.py "$items"
