"""The work of scripts/bench/ingest.sh: the same feeds from the same server by feedparser and sqlite3, and by Aha Radar."""
import json
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

import ingest_common as common

COLUMNS = ("source", "id", "link", "title", "summary", "content", "author", "published", "updated")


def peer(urls, work):
    """Fetch, parse and store, a transaction a feed: what a reader written in an afternoon does."""
    import feedparser

    database = sqlite3.connect(work / "peer.db")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(f"CREATE TABLE items ({', '.join(COLUMNS)}, PRIMARY KEY (source, id))")
    start = time.perf_counter()
    items = 0
    for url in urls:
        with urllib.request.urlopen(url) as answer:
            feed = feedparser.parse(answer.read(), response_headers=dict(answer.headers))
        items += len(feed.entries)
        database.executemany(f"INSERT OR IGNORE INTO items VALUES ({', '.join('?' * len(COLUMNS))})", (row(url, entry) for entry in feed.entries))
        database.commit()
    seconds = time.perf_counter() - start
    return {"items": items, "seconds": seconds, "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def row(url, entry):
    content = entry.content[0].value if entry.get("content") else None
    times = [time.strftime("%FT%TZ", at) if (at := entry.get(f"{name}_parsed")) else None for name in ("published", "updated")]
    identity = entry.get("id") or entry.get("link") or entry.get("title")
    return url, identity, entry.get("link"), entry.get("title"), entry.get("summary"), content, entry.get("author"), *times


def main(binary, folder):
    with tempfile.TemporaryDirectory() as temporary, common.Server(folder) as server:
        work = pathlib.Path(temporary)
        # JSON feeds are left out on both sides: feedparser does not read them.
        urls = [url for url in server.urls if not url.endswith(".json")]
        # In a process of its own, so that its memory is its own.
        (work / "urls").write_text(json.dumps(urls))
        command = [sys.executable, __file__, "peer", str(work / "urls"), str(work)]
        by_peer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        common.write_opml(urls, work / "sources.opml")
        own = common.ingest(binary, work, work / "sources.opml", "2026-02-04..2026-02-19")
        items = common.one(work, "SELECT sum(items_seen) FROM fetch_runs")
        failed = common.one(work, "SELECT count(*) FROM fetch_runs WHERE status <> 'ok'")
        print(f"\n{len(urls)} feeds from {len(urls)} hosts, fetched, parsed and stored in SQLite; {failed} failed here\n")
        common.table([
            ("feedparser and sqlite3", by_peer["items"], by_peer["seconds"], by_peer["peak_kib"]),
            ("aha-radar, from its start", items, own["seconds"], own["peak_kib"]),
            ("aha-radar, its stage ingest", items, own["stage"], own["peak_kib"]),
        ])
        rate = by_peer["items"] / by_peer["seconds"]
        print(f"\ntimes feedparser's items/s: {items / own['seconds'] / rate:.1f} from its start, {items / own['stage'] / rate:.1f} by the stage")


if __name__ == "__main__":
    if sys.argv[1] == "peer":
        print(json.dumps(peer(json.loads(pathlib.Path(sys.argv[2]).read_text()), pathlib.Path(sys.argv[3]))))
    else:
        main(*sys.argv[1:3])
