"""Asks a llama.cpp server by three interfaces: interfaces.py PROGRAM FOLDER URL. Called by `scripts/peers/model_server.sh interfaces`.

Prints what each said to a plain question, as a stream, with a schema, and with room for too few tokens, then each check with what was
found. Exit 0 when all hold. The model is too small to be right; but what it says has to arrive as what it is.
"""
import json
import sys

from ask import HEAD, Radar, failing
from report import judge, table

program, folder, url = sys.argv[1:4]
INTERFACES = {"openai": "/v1/responses", "openai_compatible": "/v1/chat/completions", "anthropic": "/v1/messages"}
SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["colour", "warm"],
    "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}, "warm": {"type": "boolean"}},
}
ROOM, TOO_LITTLE = 200, 16
QUESTION = "Name a colour. Answer with one short sentence."
STORY = "Tell me a long story of a lighthouse."

MODELS = {
    "roomy": f"max_tokens: {ROOM}", "cramped": f"max_tokens: {TOO_LITTLE}",
    "unstrict": f"max_tokens: {ROOM}, capabilities: {{ strict_schema: false }}",
}
entries = [
    f"  {provider}/{name}: {{ model: smollm2, endpoint: '{url}{path}', {terms} }}\n"
    for provider, path in INTERFACES.items() for name, terms in MODELS.items()
]
radar = Radar(program, folder, "\n".join([
    "prices: { input: 0, output: 0 }", "retry: { max_attempts: 1 }", "temperature: 0", "models:\n",
]) + "".join(entries))
schema = f"{folder}/colour.json"
with open(schema, "w") as file:
    json.dump(SCHEMA, file)


def fits(text):
    try:
        answer = json.loads(text)
    except ValueError:
        return False
    return set(answer) == {"colour", "warm"} and answer["colour"] in ("red", "green", "blue") and isinstance(answer["warm"], bool)


plain, with_schema, cut_off = [], [], []
for provider in INTERFACES:
    roomy, cramped = f"{provider}/roomy", f"{provider}/cramped"
    plain.append(radar.ask(roomy, "plain", QUESTION))
    plain.append(radar.ask(roomy, "stream", QUESTION, "--stream"))
    with_schema.append(radar.ask(roomy, "schema", QUESTION, "--schema", schema))
    with_schema.append(radar.ask(roomy, "schema, stream", QUESTION, "--schema", schema, "--stream"))
    with_schema.append(radar.ask(f"{provider}/unstrict", "schema, not enforced", QUESTION, "--schema", schema))
    cut_off.append(radar.ask(cramped, "cut off", STORY))
    cut_off.append(radar.ask(cramped, "cut off, stream", STORY, "--stream"))
asked = sorted(plain + with_schema + cut_off, key=lambda one: list(INTERFACES).index(one.model.split("/")[0]))
table(HEAD, [one.line() for one in asked])

grammar = [one for one in with_schema if one.model == "openai_compatible/roomy"]
judge([
    ("each question is one row", *failing(asked, lambda one: len(one.rows) == 1)),
    ("no row is left reserved or unsettled", *failing(asked, lambda one: all(row["state"] in ("ok", "error") for row in one.rows))),
    ("plain questions are answered", *failing(plain, lambda one: one.is_answer())),
    ("streamed or not, it is the same answer", *failing(
        plain[::2], lambda one: one.said == next(other.said for other in plain if other.model == one.model and other.how == "stream"))),
    ("chat completions hold the schema", *failing(grammar, lambda one: one.is_answer() and fits(one.said))),
    ("nothing that misses the schema is an answer", *failing(with_schema, lambda one: fits(one.said) if one.exit == 0 else one.exit == 1)),
    ("what is cut off is no answer", *failing(cut_off, lambda one: one.exit == 1 and one.states == ["error (truncated)"])),
    ("it costs nothing", *failing(asked, lambda one: all(row["cost_microcredits"] == 0 for row in one.rows))),
])
