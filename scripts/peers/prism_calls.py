"""Sends what the program sends to Prism: prism_calls.py PROGRAM FOLDER URL FEED. Called by scripts/peers/prism.sh.

Prints what Prism said of each request, by its log FOLDER/prism.log, then each check with what was found. Exit 0 when all hold.
"""
import collections
import json
import re
import sys
import time
import urllib.error
import urllib.request

from ask import HEAD, Radar
from report import judge, table

program, folder, url, feed = sys.argv[1:5]
ENDPOINTS = {"openai": f"{url}/responses", "openai_compatible": f"{url}/chat/completions"}
PATHS = ["/responses", "/chat/completions", "/embeddings"]
BEGUN = r"\[HTTP SERVER\] post (/\S*) .*Request received"
ENDED = r"> Responding with \"|post .*Request terminated with error"
QUESTION = "Name a colour."
SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["colour"], "properties": {"colour": {"type": "string"}},
}


class Log:
    """What Prism wrote since it was last read: requests by path, how many passed, and what was wrong with the others. It writes
    after it has answered, so this waits for it."""

    def __init__(self):
        self.file = open(f"{folder}/prism.log", errors="replace")

    def read(self):
        text = self.file.read()
        for _ in range(50):
            if len(re.findall(BEGUN, text)) <= len(re.findall(ENDED, text)):
                break
            time.sleep(0.1)
            text += self.file.read()
        received = collections.Counter(re.findall(BEGUN, text))
        passed = len(re.findall(r"\[VALIDATOR\].*The request passed the validation rules", text))
        wrong = re.findall(r"\[VALIDATOR\].*?(Request (?!did not).*)|Request terminated with error: (.*)", text)
        return received, passed, sorted({(one or other)[:100] for one, other in wrong})


def refusal(path, body):
    """What Prism says to a request that is wrong: its status, and whether its log has it."""
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(), {"Content-Type": "application/json", "Authorization": "Bearer none"})
    try:
        return urllib.request.urlopen(request, timeout=120).status
    except urllib.error.HTTPError as error:
        return error.code


def prism_said(received, passed, wrong):
    asked = sum(received.values())
    return f"{passed} of {asked} accepted" + "".join(f"; {one}" for one in wrong)


radar = Radar(program, folder, "\n".join([
    "prices: { input: 0, output: 0 }", "retry: { max_attempts: 1 }", "temperature: 0.2", "max_tokens: 200",
    "api_key: ${PRISM_API_KEY}", "models:",
]) + "".join(f"\n  {provider}/gpt-5-mini: {{ endpoint: '{endpoint}' }}" for provider, endpoint in ENDPOINTS.items()),
    PRISM_API_KEY="none")
schema = f"{folder}/colour.json"
with open(schema, "w") as file:
    json.dump(SCHEMA, file)

log = Log()
log.read()
wrong_status = {path: refusal(path, {"model": 7, "input": 7}) for path in PATHS}
found = log.read()[2]

lines, received, passed, wrong = [], collections.Counter(), 0, []
everything = []
for provider in ENDPOINTS:
    for how, options in {"plain": [], "stream": ["--stream"], "schema": ["--schema", schema]}.items():
        one = radar.ask(f"{provider}/gpt-5-mini", how, QUESTION, "--system", "Answer briefly.", *options)
        everything.append((one.line(), log.read()))

# The stages of a run ask with the settings: embeddings, triage, summaries, entities.
settings = {
    "AHA_LLM_CONFIG": "", "OPENAI_ENDPOINT": f"{url}/responses", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "gpt-5-mini",
    "OPENAI_EMBED_MODEL": "text-embedding-3-small", "OPENAI_ENTITY_EXTRACT_MODEL": "gpt-5-mini", "AHA_LLM_CONCURRENCY": "1",
    "OPENAI_TRIAGE_REASONING_EFFORT": "low", "AHA_OUTPUT_DIR": f"{folder}/digests", "AHA_NOW": "2026-11-19T00:00:00Z",
}
radar.run("source", "add", feed, **settings)
run = radar.run("--run-once", "--window", "2026-11-18..2026-11-19", **settings)
rows = radar.new_rows()
run_log = log.read()
kinds = collections.Counter(f"{row['purpose']} {row['state']}" + (f" ({row['error_kind']})" if row["error_kind"] else "") for row in rows)
said = "; ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
everything.append((["openai/gpt-5-mini", "a run", run.returncode, f"{len(rows)} rows", "-", "-", "-", said], run_log))

table(HEAD[:-1] + ["Prism", HEAD[-1]], [line[:-1] + [prism_said(*logged), line[-1]] for line, logged in everything])
for _, (by_path, accepted, problems) in everything:
    received.update(by_path)
    passed += accepted
    wrong += problems
judge([
    ("a wrong request is refused", f"{wrong_status}, {len(found)} violations", all(code >= 400 for code in wrong_status.values())),
    *((f"{path} was asked", f"{received[path]} requests", received[path] > 0) for path in PATHS),
    ("nothing else was asked", ", ".join(sorted(set(received) - set(PATHS))) or "nothing", set(received) <= set(PATHS)),
    ("every request is accepted", f"{passed} of {sum(received.values())}", passed == sum(received.values())),
    ("no violation is logged", "; ".join(sorted(set(wrong))) or "none", not wrong),
])
