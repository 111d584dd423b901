"""Asks through a LiteLLM proxy by four interfaces: litellm_calls.py PROGRAM FOLDER URL. Called by scripts/peers/litellm.sh.

Prints what each said, then each check with what was found. Exit 0 when all hold. Of Gemini's streams LiteLLM tells no tokens, only
zeros; what the ledger makes of them is shown, and not judged.
"""
import json
import sys

from ask import HEAD, Radar, failing
from report import judge, table
from upstream import ANSWER, INPUT_TOKENS

program, folder, url = sys.argv[1:4]
INTERFACES = {
    "openai": "/v1/responses", "openai_compatible": "/v1/chat/completions", "anthropic": "/v1/messages", "gemini": "/v1beta",
}
SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["colour", "warm"],
    "properties": {"colour": {"type": "string"}, "warm": {"type": "boolean"}},
}
MODELS = {
    "small": "model: small", "cramped": "model: small, max_tokens: 16", "busy": "model: busy",
    "locked": "model: small, api_key: '${WRONG_KEY}'",
}
QUESTION = "Name a colour."
RIGHT, WRONG = "sk-peers-right", "sk-peers-wrong-0123456789"
COST = INPUT_TOKENS * 1 + len(ANSWER) * 2

radar = Radar(program, folder, "\n".join([
    "prices: { input: 1, output: 2 }", "retry: { max_attempts: 1 }", "api_key: ${LITELLM_API_KEY}", "models:\n",
]) + "".join(
    f"  {provider}/{name}: {{ endpoint: '{url}{path}', {terms} }}\n"
    for provider, path in INTERFACES.items() for name, terms in MODELS.items()
), LITELLM_API_KEY=RIGHT, WRONG_KEY=WRONG)
schema = f"{folder}/colour.json"
with open(schema, "w") as file:
    json.dump(SCHEMA, file)

asked, whole, cut_off, busy, locked = [], [], [], [], []
for provider in INTERFACES:
    for kind, name, how, options in (
        (whole, "small", "plain", []), (whole, "small", "stream", ["--stream"]), (whole, "small", "schema", ["--schema", schema]),
        (whole, "small", "schema, stream", ["--schema", schema, "--stream"]), (cut_off, "cramped", "cut off", []),
        (cut_off, "cramped", "cut off, stream", ["--stream"]), (busy, "busy", "a limit", []), (locked, "locked", "a wrong key", []),
    ):
        one = radar.ask(f"{provider}/{name}", how, QUESTION, *options)
        kind.append(one)
        asked.append(one)
table(HEAD, [one.line() for one in asked])

told = [one for one in whole if not (one.model.startswith("gemini/") and "stream" in one.how)]
shown = "".join(one.said + one.error + json.dumps(one.rows) for one in asked)


def has_cost(one):
    row = one.rows[0]
    return (row["input_tokens"], row["output_tokens"], row["cost_microcredits"]) == (INPUT_TOKENS, len(ANSWER), COST)


judge([
    ("each question is one row", *failing(asked, lambda one: len(one.rows) == 1)),
    ("no row is left reserved", *failing(asked, lambda one: all(row["state"] != "reserved" for row in one.rows))),
    ("each answer arrives", *failing(whole, lambda one: one.exit == 0 and json.loads(one.said) == json.loads(ANSWER))),
    ("with its tokens and cost", *failing(told, lambda one: one.is_answer() and has_cost(one))),
    ("what is cut off is no answer", *failing(cut_off, lambda one: one.exit == 1 and one.states == ["error (truncated)"])),
    ("a limit is one", *failing(busy, lambda one: one.exit == 1 and one.states == ["error (rate_limited)"])),
    ("a wrong key is refused", *failing(locked, lambda one: one.exit == 1 and one.rows[0]["state"] == "error")),
    ("no key is shown", "none" if RIGHT not in shown and WRONG not in shown else "a key", RIGHT not in shown and WRONG not in shown),
])
