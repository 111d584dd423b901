#!/usr/bin/env bash
# Has two versions of the program make the same digests, of the examples and of a folder of feeds, and shows in figures how they differ.
#
# usage: scripts/conformance/digests.sh BEFORE AFTER [FEEDS START..END NOW]        (programs; a folder of feeds, the days, and what "now" is)
#
# Needs python3. Feeds are served on loopback. docs/BEFORE_AND_AFTER.md says how the programs of its figures were built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/conformance/digests.sh: $1" >&2
    exit 2
}

[[ $# -eq 2 || $# -eq 5 ]] || fail "usage: scripts/conformance/digests.sh BEFORE AFTER [FEEDS START..END NOW]"
before=$(realpath "$1") after=$(realpath "$2") repository=$PWD
work=$(mktemp -d)
server=
clean_up() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -r "$work"
}
trap clean_up EXIT

# digest NAME PROGRAM LIST WINDOW [SETTING…]: leaves the database and the digest in NAME.
digest() {
    mkdir -p "$work/$1"
    (cd "$work/$1" && env -i PATH="$PATH" HOME="$PWD" DATABASE_URL="sqlite://$PWD/radar.db" "${@:5}" \
        "$2" --run-once --json --import "$3" --window "$4" >digest.json 2>log) || fail "$1 failed: $(cat "$work/$1/log")"
}

digest examples-before "$before" "$repository/examples/sources.opml" 2026-11-16..2026-11-19
digest examples-after "$after" "$repository/examples/sources.opml" 2026-11-16..2026-11-19
python3 scripts/conformance/digests.py "$after" "$work/examples-before" "$work/examples-after" examples/stories.json
[[ $# -eq 5 ]] || exit 0

feeds=$(realpath "$3")
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$feeds" >"$work/server" 2>/dev/null &
server=$!
port=
for _ in $(seq 100); do
    port=$(sed -nE 's/^Serving HTTP on .* port ([0-9]+) .*/\1/p' "$work/server")
    [[ -z $port ]] || break
    sleep 0.1
done
[[ -n $port ]] || fail "the feeds are not served"
{
    echo '<opml version="2.0"><head><title>Feeds</title></head><body>'
    for file in "$feeds"/*; do
        name=$(basename "$file")
        echo "<outline type=\"rss\" text=\"${name%.*}\" xmlUrl=\"http://127.0.0.1:$port/$name\"/>"
    done
    echo '</body></opml>'
} >"$work/feeds.opml"
for version in before after; do
    digest "feeds-$version" "${!version}" "$work/feeds.opml" "$4" AHA_FETCH_ALLOW=127.0.0.1 AHA_FETCH_HOST_GAP_MS=0 AHA_NOW="$5"
done
python3 scripts/conformance/digests.py "$after" "$work/feeds-before" "$work/feeds-after"
