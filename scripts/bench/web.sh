#!/usr/bin/env bash
# How fast pages and API answer with 100,000 items, 200 digests and 5 users stored: of each address the processor time of a request (of the server, and on
# Postgres of the database beside it), which hardly depends on what else the machine does; the time at the 95th percentile by wrk (Debian) with 8
# connections; and the size of what is sent.
#
# usage: scripts/bench/web.sh [PROGRAM]                                       on SQLite; default: target/dist/aha-radar
#        bash scripts/postgres.sh scripts/bench/web.sh [PROGRAM]              on Postgres, too
# With AHA_EMBED_MODEL_DIR, a folder of weights, every item has a vector, and searches by meaning are timed as well.
# SECONDS_EACH (3) is how long each address is asked, CONNECTIONS (8) over how many connections at once. Exit 1 where one takes 50 ms or more, or a page has 100 kB or more.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$(realpath "${1:-target/dist/aha-radar}")
rows=$PWD/scripts/bench/web_rows.sql
vectors_script=$PWD/scripts/bench/web_vectors.py
cpu_script=$PWD/scripts/bench/web_cpu.py
examples=$PWD/examples
for tool in wrk sqlite3; do
    command -v $tool >/dev/null || apt-get install -y $tool >/dev/null 2>&1 || { echo "web: $tool is missing; install it" >&2; exit 2; }
done

connections=${CONNECTIONS:-8}
threads=$((connections < 2 ? 1 : 2))
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export AHA_NOW=2026-11-19T07:00:00Z AHA_LISTEN=127.0.0.1:$port AHA_OUTPUT_DIR=$folder/digests
sqlite=sqlite://$folder/aha-radar.db
cd "$folder"
# Percentiles are microseconds.
cat >percentile.lua <<'LUA'
done = function(summary, latency)
    local errors = summary.errors
    io.write(string.format("p95 %.1f %.1f %d %d\n", latency:percentile(95) / 1000, latency:percentile(50) / 1000, summary.requests, errors.status + errors.connect + errors.read + errors.timeout))
end
LUA

DATABASE_URL=$sqlite "$program" --run-once --import "$examples/sources.opml" --window 2026-11-16..2026-11-19 >/dev/null
sqlite3 aha-radar.db <"$rows" >/dev/null
[ -z "${AHA_EMBED_MODEL_DIR:-}" ] || python3 "$vectors_script" aha-radar.db
DATABASE_URL=$sqlite "$program" reindex >/dev/null
story=$(sqlite3 aha-radar.db "SELECT id FROM digest_items WHERE rank = 1 ORDER BY id LIMIT 1")
digest=$(sqlite3 aha-radar.db "SELECT id FROM digests ORDER BY id LIMIT 1")
run=$(sqlite3 aha-radar.db "SELECT id FROM runs ORDER BY id LIMIT 1")
item=$(sqlite3 aha-radar.db "SELECT id FROM content_items ORDER BY id LIMIT 1")
source=50000000-0000-5000-8000-000000000001
paths=(/ /archive "/digests/$digest" "/stories/$story" "/items/$item" /saved /sources "/sources/$source" /topics /topics/default /runs /spend "/search?q=ferry7" /plan
    /feeds/default/digests.rss /feeds/default/stories.atom /feeds/default/saved.json /health /api/openapi.json
    /api/v1/digests /api/v1/digests/latest "/api/v1/digests/$digest" "/api/v1/stories/$story" /api/v1/feedback /api/v1/saved
    /api/v1/items "/api/v1/items?topic=default&limit=200" "/api/v1/items?source=$source" "/api/v1/items/$item" "/api/v1/search?q=ferry7" "/api/v1/search?q=glacier5+report" "/api/v1/search?q=report"
    /api/v1/sources "/api/v1/sources/$source" /api/v1/sources/opml /api/v1/topics /api/v1/topics/default /api/v1/topics/default/rules
    /api/v1/runs "/api/v1/runs/$run" /api/v1/spend "/api/v1/spend?by=model&days=365" /api/v1/calls "/api/v1/calls?purpose=triage" /api/v1/models /api/v1/settings /api/v1/deep-dives
    /api/v1/feed-token /api/agenda /api/todos)
if [ -n "${AHA_EMBED_MODEL_DIR:-}" ]; then
    paths+=("/api/v1/search?q=ferry7&by=both" "/api/v1/search?q=the+harbour+was+closed&by=meaning" "/search?q=pilots+on+strike")
fi
question='{"question":"Which report says that the harbour was measured by the pilot of the ferry?"}'
# wrk sends what this says.
printf 'wrk.method = "POST"; wrk.body = %s; wrk.headers["Content-Type"] = "application/json"\n' "[[$question]]" | cat - percentile.lua >ask.lua

measure() {
    local name=$1 slow=0
    DATABASE_URL=$2 "$program" serve 2>"$folder/log" &
    server=$!
    for _ in $(seq 100); do curl -fsS "http://127.0.0.1:$port/health" >/dev/null 2>&1 && break; sleep 0.1; done
    printf '%-10s %-58s %7s %7s %8s %8s %7s\n' database address 'cpu ms' 'beside' 'p95 ms' 'p50 ms' kB
    for path in "${paths[@]}" "POST /ask $question"; do
        local url=http://127.0.0.1:$port$path script=percentile.lua shown=$path cpu beside code bytes
        [[ $path != POST* ]] || { url=http://127.0.0.1:$port/ask script=ask.lua shown="POST /ask"; }
        read -r cpu beside code bytes < <(python3 "$cpu_script" "$port" 20 "$server${3:+,$3}" "$path")
        [ "$code" = 200 ] || { echo "web: $shown is answered with $code" >&2; [ "$code" = 404 ] && continue; exit 1; }
        read -r _ p95 p50 _ errors < <(wrk -t "$threads" -c "$connections" -d "${SECONDS_EACH:-3}s" -s "$script" "$url" | grep ^p95)
        local mark=
        if python3 -c "import sys; sys.exit(not ($p95 >= 50 or $errors > 0))"; then mark=' slow'; slow=1; fi
        case $path in /api/* | /feeds/* | POST*) ;; *) [ "$bytes" -lt 100000 ] || { mark="$mark large"; slow=1; } ;; esac
        printf '%-10s %-58s %7s %7s %8s %8s %7s%s\n' "$name" "$shown" "$cpu" "$beside" "$p95" "$p50" "$((bytes / 1000))" "$mark"
    done
    kill "$server"; wait "$server" || true; server=
    return $slow
}

failed=0
measure sqlite "$sqlite" || failed=1
if [ -n "${AHA_TEST_POSTGRES_URL:-}" ]; then
    other=${AHA_TEST_POSTGRES_URL%/*}/aha_web_$$
    psql -q "$AHA_TEST_POSTGRES_URL" -c "CREATE DATABASE aha_web_$$" >/dev/null
    DATABASE_URL=$sqlite "$program" copy --to "$other" >/dev/null
    DATABASE_URL=$other "$program" reindex >/dev/null
    psql -q "$other" -c ANALYZE >/dev/null
    # The server's first process, whose children are the connections.
    postgres=$(head -1 "$(psql -Atq "$AHA_TEST_POSTGRES_URL" -c 'SHOW data_directory')/postmaster.pid")
    measure postgres "$other" "$postgres" || failed=1
    psql -q "$AHA_TEST_POSTGRES_URL" -c "DROP DATABASE aha_web_$$" >/dev/null
fi
exit $failed
