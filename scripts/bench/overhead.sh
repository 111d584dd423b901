#!/usr/bin/env bash
# What the gateway adds to a call beside what a LiteLLM proxy adds, in one run in front of the same server: at 1, 16 and 64 calls at once.
#
# Installs LiteLLM as scripts/peers/litellm.sh does (some minutes, once), starts it with one worker, and runs the benchmark of the
# gateway (benches/gateway), which is the server behind it too. The gateway keeps its ledger in SQLite; the proxy keeps none.
#
# Takes some two minutes beside the build. Exit 0 when the gateway adds at most a twentieth of the proxy's p50 at each load, 1 when it
# adds more, 2 when it could not be tried. Needs python3 with venv. AHA_BENCH_PROFILE=dev takes a debug build, of which nothing follows;
# AHA_PEERS_KEEP names a folder to leave everything in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/peers/common.sh

install_litellm
profile=${AHA_BENCH_PROFILE:-bench}
echo "building the benchmark" >&2
built=$(cargo bench --locked --profile "$profile" --bench gateway --no-run --message-format=json-render-diagnostics) || fail "the benchmark cannot be built"
benchmark=$(python3 -c '
import json, sys
made = [json.loads(line) for line in sys.stdin if line.startswith("{")]
print(next(one["executable"] for one in made if one.get("executable") and one["target"]["kind"] == ["bench"]))' <<<"$built")

make_work
behind=$(free_port)
port=$(free_port)
cat >"$work/litellm.yaml" <<END
model_list:
  - model_name: bench
    litellm_params: { model: openai/bench, max_retries: 0, api_key: none, api_base: 'http://127.0.0.1:$behind/v1' }
litellm_settings: { num_retries: 0, telemetry: false }
router_settings: { disable_cooldowns: true, num_retries: 0 }
general_settings: { master_key: sk-overhead }
END
start_litellm "$port"
measure() {
    AHA_BENCH_PROXY="http://127.0.0.1:$port/v1/chat/completions" AHA_BENCH_PROXY_KEY=sk-overhead \
        AHA_BENCH_BEHIND="127.0.0.1:$behind" exec "$benchmark"
}
code=0
attend measure || code=$?
# The benchmark's own verdict is 1, and all else that can happen to it means that nothing was measured.
((code == 0 || code == 1)) || fail "the benchmark ended with $code: $(tail -n 3 "$work/litellm.log")"
exit "$code"
