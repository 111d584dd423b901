"""The work of scripts/conformance/hostile.sh: each hostile answer in a run of its own, with its time and peak memory."""
import asyncio
import pathlib
import sqlite3
import sys
import tempfile
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import ingest_common as common
from hostile_feeds import behaviours

# Of a whole process from its start, which makes its database, to the end of its ingest.
MAX_SECONDS = 2.0
MAX_MIB = 128
# What becomes of a source whose server did not answer at all: then nothing was tried.
NEVER_ASKED = {"connect", "dns", "refused_address", "waiting"}
# The fetcher's time for a whole answer is a minute.
SLOW = {"1 byte a second": 63.0}
LOOKS_AT_CHANGING = 5


class Server(threading.Thread):
    """One behaviour at a time, whatever is asked for."""

    def __init__(self):
        super().__init__(daemon=True)
        self.started, self.count, self.behaviour = threading.Event(), 0, None

    def run(self):
        asyncio.run(self.serve())

    async def serve(self):
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.started.set()
        await server.serve_forever()

    async def answer(self, reader, writer):
        try:
            await reader.readuntil(b"\r\n\r\n")
            self.count += 1
            await self.behaviour(writer, self.count)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def looked(binary, server, work, name):
    looks = LOOKS_AT_CHANGING if name == "a guid that changes" else 1
    common.write_opml([f"http://127.0.0.1:{server.port}/{urllib.parse.quote(name)}"], work / "sources.opml")
    found = [common.ingest(binary, work, work / "sources.opml", f"2026-02-{10 + look}..2026-02-{11 + look}") for look in range(looks)]
    database = sqlite3.connect(work / "radar.db")
    status, kind = database.execute("SELECT status, error_kind FROM fetch_runs").fetchone()
    items = database.execute("SELECT count(*) FROM content_items").fetchone()[0]
    return max(f["seconds"] for f in found), max(f["peak_kib"] for f in found) / 1024, kind or status, items


def main(binary, wanted):
    server = Server()
    server.start()
    server.started.wait()
    failed = tried = 0
    layout = "{:<34} {:>8} {:>9}  {:<12} {:>6}  {}".format
    print(layout("answer", "seconds", "peak MiB", "outcome", "items", ""))
    for name, behaviour in behaviours():
        if wanted and name not in wanted:
            continue
        server.behaviour, server.count = behaviour, 0
        with tempfile.TemporaryDirectory() as temporary:
            seconds, peak, outcome, items = looked(binary, server, pathlib.Path(temporary), name)
        within = seconds <= SLOW.get(name, MAX_SECONDS) and peak <= MAX_MIB and (name != "a guid that changes" or items == 100)
        asked = server.count > 0 and outcome not in NEVER_ASKED
        failed += not (within and asked)
        tried += 1
        verdict = "NEVER ASKED" if not asked else "" if within else "BEYOND BOUNDS"
        print(layout(name, f"{seconds:.2f}", f"{peak:.0f}", outcome, items, verdict), flush=True)
    print(f"\n{failed} of {tried} beyond {MAX_SECONDS:.0f} s ({SLOW}) or {MAX_MIB} MiB, or never asked")
    if not tried:
        print(f"scripts/conformance/hostile.py: no answer is called so: {', '.join(wanted)}", file=sys.stderr)
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
