"""Judges a run against a real model server: check.py DATABASE SERVER_LOG EXIT_CODE. Called by scripts/peers/model_server.sh.

Prints the provider's calls by purpose, state and error, then each check with what was found. Exit 0 when all hold.
"""
import os
import re
import sqlite3
import sys

from report import judge, table

database, server_log, code = sys.argv[1], sys.argv[2], int(sys.argv[3])
if not os.path.exists(database):
    sys.exit("there is no database")
db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)


def number(sql):
    return db.execute(sql).fetchone()[0]


# What the server worked on, by its own log; what it refused is not in there.
asked = len(re.findall(r"launch_slot_.*processing task", open(server_log, errors="replace").read()))
theirs = "provider <> 'local'"
rows = number(f"SELECT count(*) FROM provider_calls WHERE {theirs}")
print(f"{rows} calls to the model:")
table(
    ["purpose", "state", "error", "calls", "tokens in", "tokens out", "micro-credits", "ms"],
    db.execute(
        "SELECT purpose, state, error_kind, count(*), sum(input_tokens), sum(output_tokens), sum(cost_microcredits),"
        f" sum(latency_ms) FROM provider_calls WHERE {theirs} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    ).fetchall(),
)

answers = f"answers JOIN provider_calls ON provider_calls.id = provider_call_id WHERE provider_calls.{theirs}"
scored = number("SELECT count(*) FROM digest_items WHERE aha_score IS NOT NULL")
good = number(f"SELECT count(*) FROM {answers} AND task = 'triage' AND state = 'ok'")
unbacked = number("SELECT count(*) FROM digest_items WHERE aha_score IS NOT NULL AND triage_json IS NULL")
stand_ins = number("SELECT count(*) FROM digest_items WHERE json_extract(triage_json, '$.provider') = 'local'")
bad_answers = number(f"SELECT count(*) FROM {answers} AND state <> 'ok'")
reserved = number("SELECT count(*) FROM provider_calls WHERE state = 'reserved'")
uncosted = number(f"SELECT count(*) FROM provider_calls WHERE {theirs} AND state = 'ok' AND cost_microcredits IS NULL")
items = number("SELECT count(*) FROM digest_items")
checks = [
    ("the run ends with 0 or 3", f"exit {code}", code in (0, 3)),
    ("a digest appears", f"{items} items", items > 0),
    ("the model was asked", f"{rows} calls", rows > 0),
    ("each request is a row", f"{asked} worked on, {rows} rows", rows >= asked and (asked > 0 or rows == 0)),
    ("no row is left reserved", f"{reserved} rows", reserved == 0),
    ("each good call has its cost", f"{uncosted} without", uncosted == 0),
    ("no answer of a bad call is kept", f"{bad_answers} answers", bad_answers == 0),
    ("no score without a good answer", f"{scored} scores, {good} good answers, {unbacked} unbacked",
     scored <= good and unbacked == 0),
    ("local does not stand in", f"{stand_ins} items", stand_ins == 0),
]
judge(checks)
