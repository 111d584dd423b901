#!/usr/bin/env bash
# Subscribes newsboat (Debian) to the feeds of a topic and reloads them after each of three runs: each digest, each top story and each saved story is an entry
# once, however many digests it stood in.
#
# usage: scripts/conformance/newsboat.sh [PROGRAM]      default: target/debug/aha-radar
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$(realpath "${1:-target/debug/aha-radar}")
examples=$PWD/examples
for tool in newsboat sqlite3; do
    command -v $tool >/dev/null || apt-get install -y $tool >/dev/null 2>&1 || { echo "newsboat: $tool is missing; install it" >&2; exit 2; }
done

folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export AHA_LISTEN=127.0.0.1:$port AHA_OUTPUT_DIR=$folder/digests DATABASE_URL=sqlite://$folder/aha-radar.db
cd "$folder"

serve() {
    [ -z "$server" ] || { kill "$server"; wait "$server" || true; }
    "$program" serve 2>>"$folder/log" &
    server=$!
    for _ in $(seq 100); do curl -fsS "http://127.0.0.1:$port/health" >/dev/null 2>&1 && return; sleep 0.1; done
    echo "newsboat: the server does not answer" >&2
    exit 1
}
reload() {
    newsboat --url-file="$folder/urls" --cache-file="$folder/cache.db" --config-file="$folder/config" --execute=reload
}
count() { sqlite3 "$folder/cache.db" "SELECT count(*) FROM rss_item WHERE feedurl LIKE '%/$1.rss%'"; }

printf 'http://127.0.0.1:%s/feeds/default/digests.rss\nhttp://127.0.0.1:%s/feeds/default/stories.rss\nhttp://127.0.0.1:%s/feeds/default/saved.rss\n' "$port" "$port" "$port" >urls
printf 'http-auth-method any\n' >config
# Three runs whose windows overlap, so that stories stand in more than one digest.
number=0
for window in 2026-11-15..2026-11-17 2026-11-15..2026-11-18 2026-11-16..2026-11-19; do
    number=$((number + 1))
    export AHA_NOW=${window#*..}T07:00:00Z
    import=(); [ $number = 1 ] && import=(--import "$examples/sources.opml")
    "$program" --run-once "${import[@]}" --window "$window" >/dev/null
    [ $number = 2 ] && "$program" feedback 1 save >/dev/null
    serve
    reload; reload
    echo "run $number: $(count digests) digests, $(count stories) stories, $(count saved) saved"
    [ "$(count digests)" = $number ] || { echo "newsboat: $(count digests) digests after run $number" >&2; exit 1; }
done
shown=$("$program" digest latest --json | python3 -c 'import json, sys; print(sum(s["section"] == "top" for s in json.load(sys.stdin)["stories"]))')
twice=$(sqlite3 cache.db "SELECT count(*) FROM (SELECT guid FROM rss_item GROUP BY feedurl, guid HAVING count(*) > 1)")
titles=$(sqlite3 cache.db "SELECT count(*) FROM (SELECT title FROM rss_item WHERE feedurl LIKE '%/stories.rss' GROUP BY title HAVING count(*) > 1)")
[ "$twice" = 0 ] && [ "$titles" = 0 ] || { echo "newsboat: $twice ids and $titles titles are entries twice" >&2; exit 1; }
[ "$(count stories)" -ge "$shown" ] && [ "$(count saved)" = 1 ] || { echo "newsboat: entries are missing" >&2; exit 1; }
echo "newsboat: each entry once over three runs"
