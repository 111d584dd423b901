#!/usr/bin/env bash
# Asks through a LiteLLM proxy that nobody here wrote: by /v1/responses, /v1/chat/completions, /v1/messages and Gemini's path.
#
# Installs LiteLLM from its package under target/peers (some minutes, once), and puts it in front of a server that says the same to
# everything and speaks chat completions alone, so that the proxy has to translate the other three. Answers (plain, as a stream, with a
# schema), those cut off, limits and a wrong key must arrive as what they are, and the proxy's tokens in the ledger.
#
# Takes a minute. Exit 0 when every check holds, 1 when one does not, 2 when it could not be tried. Needs python3 with venv. AHA_BIN
# names the program (else the release build, else the debug build); AHA_PEERS_KEEP a folder to leave everything in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/peers/common.sh

install_litellm

find_program
make_work
behind=$(free_port)
port=$(free_port)
# Without its own tries again and pauses, which would hide what it is asked and answers.
cat >"$work/litellm.yaml" <<END
model_list:
$(for name in small busy; do
    echo "  - model_name: $name"
    echo "    litellm_params: { model: openai/$name, use_chat_completions_api: true, max_retries: 0, api_key: none,"
    echo "      api_base: 'http://127.0.0.1:$behind/v1' }"
done)
litellm_settings: { use_chat_completions_url_for_anthropic_messages: true, num_retries: 0, telemetry: false }
router_settings: { disable_cooldowns: true, num_retries: 0 }
general_settings: { master_key: sk-peers-right }
END
start upstream "http://127.0.0.1:$behind/" 20 python3 scripts/peers/upstream.py "$behind"
start_litellm "$port"
attend python3 scripts/peers/litellm_calls.py "$binary" "$work" "http://127.0.0.1:$port"
