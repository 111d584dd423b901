#!/usr/bin/env bash
# Serves the digests of the examples and puts every operation of the API's own document to schemathesis, with all of its checks: no failure, and no
# answer that the document does not describe.
#
# usage: scripts/conformance/schemathesis.sh [PROGRAM] [schemathesis options]      default: target/debug/aha-radar
# With DATABASE_URL set to an empty Postgres database the rows are kept there. NAMED_ALONE=1 leaves the first of its two passes out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$(realpath "${1:-target/debug/aha-radar}")
shift || true
config=$PWD/scripts/conformance/schemathesis.toml
export PYTHONPATH=$PWD/scripts/conformance SCHEMATHESIS_HOOKS=schemathesis_hooks
examples=$PWD/examples

folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
schemathesis=$(command -v schemathesis || true)
if [ -z "$schemathesis" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet "schemathesis==4.32.5"
    schemathesis=$folder/venv/bin/schemathesis
fi

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export AHA_NOW=2026-11-19T07:00:00Z AHA_LISTEN=127.0.0.1:$port AHA_OUTPUT_DIR=$folder/digests
export DATABASE_URL=${DATABASE_URL:-sqlite://$folder/aha-radar.db}
cd "$folder"
"$program" --run-once --import "$examples/sources.opml" --window 2026-11-16..2026-11-19 >/dev/null
"$program" run --window 2026-11-17..2026-11-18 >/dev/null
"$program" todo add "Call the port office" >/dev/null
"$program" serve 2>"$folder/log" &
server=$!
for _ in $(seq 100); do
    curl -fsS "http://127.0.0.1:$port/api/openapi.json" >/dev/null 2>&1 && break
    sleep 0.1
done
# Once with values of its own, once with what is there, so that more than the 404 of each operation is seen.
cp "$config" free.toml
cp "$config" named.toml
api() { curl -fsS "http://127.0.0.1:$port/api/v1/$1"; }
first() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }
{
    name() { printf '\n[[operations]]\ninclude-path-regex = "%s"\nparameters = { %s = "%s" }\n' "$1" "$2" "$3"; }
    name '^/api/v1/topics/' name default
    name '^/api/v1/stories/' id "$(api digests/latest | first "['stories'][0]['id']")"
    name '^/api/v1/digests/' id latest
    name '^/api/v1/sources/.id' id "$(api sources | first "['sources'][0]['id']")"
    name '^/api/v1/items/' id "$(api items | first "['items'][0]['id']")"
    name '^/api/v1/runs/.id' id "$(api runs | first "['runs'][0]['run']['id']")"
    name '^/api/v1/calls/' id "$(api calls | first "['calls'][0]['id']")"
} >>named.toml
# An estimate and a replay make a whole run in a copy of the database.
check() {
    "$schemathesis" --config-file "$1" run "http://127.0.0.1:$port/api/openapi.json" --checks all --seed 1 --request-timeout 90 --max-response-time 60 "${@:2}"
    kill -0 "$server" || { echo "schemathesis: the server ended" >&2; tail -20 "$folder/log" >&2; exit 1; }
}
[ -n "${NAMED_ALONE:-}" ] || check free.toml "$@"
# The topic has to stay while the others are put to its data.
check named.toml --exclude-method DELETE "$@"
grep -E "panicked|ERROR" "$folder/log" >&2 && { echo "schemathesis: the server's log has errors" >&2; exit 1; }
echo "schemathesis: no failure, and nothing of it in the server's log"
