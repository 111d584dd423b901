# What the scripts peers*.sh share: where peers are kept, the program that is tried, and servers that end with the script. To be
# sourced from the repository's root, not run.

fail() {
    echo "$(basename "$0"): $1" >&2
    exit 2
}
command -v python3 >/dev/null || fail "python3 is missing; it builds the peers and reads the results"

home=$PWD/target/peers
mkdir -p "$home"
make_venv() { # FOLDER
    [[ -x $1/bin/pip ]] || python3 -m venv "$1" || fail "python3 -m venv failed; on Debian: apt-get install python3-venv"
}
install() { # WHAT, COMMAND...
    echo "installing $1 (log: $home/install.log)" >&2
    nice -n 19 "${@:2}" >>"$home/install.log" 2>&1 || fail "$1 could not be installed: $(tail -n 3 "$home/install.log")"
}

# LiteLLM from its package, and a proxy with the configuration that is in the work folder.
install_litellm() {
    local venv=$home/litellm
    make_venv "$venv"
    [[ -x $venv/bin/litellm ]] || install LiteLLM "$venv/bin/pip" install 'litellm[proxy]==1.106.2'
}
start_litellm() { # PORT
    echo "starting LiteLLM on port $1" >&2
    start litellm "http://127.0.0.1:$1/health/liveliness" 180 env LITELLM_LOCAL_MODEL_COST_MAP=True \
        "$home/litellm/bin/litellm" --config "$work/litellm.yaml" --host 127.0.0.1 --port "$1"
}

# The program: AHA_BIN, else the release build, else the debug build.
find_program() {
    binary=${AHA_BIN:-}
    for built in target/dist/aha-radar target/release/aha-radar target/debug/aha-radar; do
        [[ -n $binary || ! -x $built ]] || binary=$PWD/$built
    done
    [[ -x $binary ]] || fail "there is no program: cargo build --profile dist, or name one in AHA_BIN"
    binary=$(realpath "$binary")
}

# A folder to work in and servers, all gone at the end; what was in it is left in AHA_PEERS_KEEP, where that is set.
work=
servers=()
clean_up() {
    local server waited
    # All are told first: one of them may wait for another to hang up.
    for server in ${servers[@]+"${servers[@]}"}; do kill "$server" 2>/dev/null || true; done
    for server in ${servers[@]+"${servers[@]}"}; do
        for ((waited = 0; waited < 20; waited++)); do
            kill -0 "$server" 2>/dev/null || break
            sleep 0.5
        done
        { kill -KILL "$server" || true; wait "$server"; } 2>/dev/null || true
    done
    [[ -n $work ]] || return 0
    if [[ -n ${AHA_PEERS_KEEP:-} ]]; then mkdir -p "$AHA_PEERS_KEEP" && cp -R "$work/." "$AHA_PEERS_KEEP"; fi
    rm -rf "$work"
}
make_work() {
    trap clean_up EXIT
    work=$(mktemp -d)
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
start() { # NAME, URL that answers once it is ready, SECONDS it may take, COMMAND...
    local log=$work/$1.log server waited
    "${@:4}" >"$log" 2>&1 &
    server=$!
    servers+=("$server")
    for ((waited = 0; waited < 2 * $3; waited++)); do
        ! answers "$2" || return 0
        kill -0 "$server" 2>/dev/null || fail "$1 did not start: $(tail -n 3 "$log")"
        sleep 0.5
    done
    fail "$1 was not ready within $3 seconds: $(tail -n 3 "$log")"
}
attend() { # COMMAND..., in the background, so that an interruption ends it at once, and the servers with it
    "$@" &
    servers+=("$!")
    wait "$!"
}
answers() { # URL: whatever it says, but that it is not ready
    python3 - "$1" 2>/dev/null <<'PY'
import sys, urllib.error, urllib.request
try:
    urllib.request.urlopen(sys.argv[1], timeout=2)
except urllib.error.HTTPError as error:
    sys.exit(error.code == 503)
PY
}
