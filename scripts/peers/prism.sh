#!/usr/bin/env bash
# Holds what the program sends against OpenAI's own OpenAPI document: bash scripts/peers/prism.sh DOCUMENT
#
# Prism, a mock server that nobody here wrote, validates each request by the document (as JSON; it is not part of the repository) and
# answers with the document's examples, or with what it makes up. Questions by /responses and /chat/completions (plain, as a stream, with a
# schema) and a run over one of the example feeds, which asks /embeddings too, must be sent without one violation. What Prism answers
# is no judgement, so the run's exit code is shown and not judged.
#
# Takes some minutes. Exit 0 when every check holds, 1 when one does not, 2 when it could not be tried. Needs node 20 with npm, which
# install Prism under target/peers, and python3. AHA_BIN names the program (else the release build, else the debug build);
# AHA_PEERS_KEEP a folder to leave everything in.
set -euo pipefail
document=${1:+$(realpath -m "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/peers/common.sh

[[ -n $document ]] || fail "name OpenAI's OpenAPI document, as JSON"
[[ -f $document ]] || fail "there is no file $document"
command -v npm >/dev/null || fail "npm is missing; on Debian: apt-get install nodejs npm"
prism=$home/prism/node_modules/.bin/prism
[[ -x $prism ]] || install Prism npm install --prefix "$home/prism" --no-audit --no-fund @stoplight/prism-cli@5.14.2

find_program
make_work
# OpenAPI 3.1 has no `nullable` any more. Where the document still says it beside no type, Prism cannot compile the schema, and
# then takes every request for a valid one without a word.
python3 - "$document" "$work/openapi.json" <<'PY' || fail "the document is no JSON"
import json, sys

def without_nullable(node):
    if isinstance(node, dict):
        lost = {"nullable"} if isinstance(node.get("nullable"), bool) and "type" not in node else set()
        return {name: without_nullable(value) for name, value in node.items() if name not in lost}
    return [without_nullable(value) for value in node] if isinstance(node, list) else node

with open(sys.argv[1]) as document, open(sys.argv[2], "w") as prepared:
    json.dump(without_nullable(json.load(document)), prepared)
PY

port=$(free_port)
echo "starting Prism on port $port" >&2
start prism "http://127.0.0.1:$port/" 180 nice -n 10 "$prism" mock --port "$port" "$work/openapi.json"
attend python3 scripts/peers/prism_calls.py "$binary" "$work" "http://127.0.0.1:$port" "$PWD/examples/feeds/tramstop.json"
