"""What comparisons of whole ingests share: the server's process, a run of Aha Radar up to the end of its ingest, a table."""
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
import xml.sax.saxutils as sax

HERE = pathlib.Path(__file__).parent
FETCHES_AT_ONCE = 8


class Server:
    """scripts/bench/ingest_server.py in a process of its own."""

    def __init__(self, *arguments):
        command = [sys.executable, str(HERE / "ingest_server.py"), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit("scripts/bench/ingest_server.py did not start")
        ready = json.loads(line)
        self.urls, self._counts = ready["urls"], ready["counts"]

    def counts(self):
        with urllib.request.urlopen(self._counts) as answer:
            return json.load(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def write_opml(urls, path):
    lines = [f'<outline type="rss" text="{number}" xmlUrl={sax.quoteattr(url)}/>' for number, url in enumerate(urls)]
    path.write_text('<?xml version="1.0"?><opml version="2.0"><head/><body>' + "".join(lines) + "</body></opml>")


def ingest(binary, work, opml, window):
    """Starts a run and interrupts it when its ingest is done: seconds since the start, the stage's own, peak memory so far."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(work), "DATABASE_URL": f"sqlite://{work}/radar.db",
        "AHA_OUTPUT_DIR": str(work / "digests"), "AHA_FETCH_ALLOW": "127.0.0.0/8", "AHA_FETCH_HOST_GAP_MS": "0",
        "AHA_FETCH_CONCURRENCY": str(FETCHES_AT_ONCE), "AHA_LOG": "info,aha_radar::pipeline=debug", "AHA_LOG_FORMAT": "json",
    }
    command = [binary, "run", "--import", str(opml), "--window", window]
    start = time.perf_counter()
    run = subprocess.Popen(command, env=environment, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    tail = []
    for line in run.stderr:
        tail = [*tail[-9:], line]
        entry = json.loads(line) if line.startswith("{") else {}
        fields = entry.get("fields", entry)
        if fields.get("message") == "stage finished" and fields.get("stage") == "ingest":
            seconds = time.perf_counter() - start
            status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
            peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1))
            run.send_signal(signal.SIGINT)
            run.stderr.read()
            run.wait()
            return {"seconds": seconds, "stage": float(fields["elapsed_ms"]) / 1000, "peak_kib": peak}
    sys.exit("the run told no end of its ingest:\n" + "".join(tail))


def rows_of(work):
    """Each table's rows as one number that changes with any of them, and how many there are."""
    database = sqlite3.connect(work / "radar.db")
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    return {name: (len(rows := database.execute(f'SELECT * FROM "{name}"').fetchall()), hash(frozenset(map(repr, rows)))) for name in tables}


def one(work, question):
    return sqlite3.connect(work / "radar.db").execute(question).fetchone()[0]


def table(rows):
    layout = "{:<36} {:>8} {:>9} {:>10} {:>10}".format
    print(layout("", "items", "seconds", "items/s", "peak MiB"))
    for name, items, seconds, peak_kib in rows:
        print(layout(name, items, f"{seconds:.3f}", f"{items / seconds:.0f}", f"{peak_kib / 1024:.0f}" if peak_kib else "-"))
