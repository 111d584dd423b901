"""The work of scripts/bench/newsboat.sh: the same sources from the same server by newsboat and by Aha Radar, in turns, then once more
unchanged. Each begins with nothing left to write to the disk; the best pass of each counts."""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

import ingest_common as common


PASSES = 3


def newsboat(urls, work):
    (work / "urls").write_text("".join(f"{url}\n" for url in urls))
    (work / "config").write_text(f"reload-threads {common.FETCHES_AT_ONCE}\n")
    command = ["newsboat", "-u", work / "urls", "-C", work / "config", "-c", work / "newsboat.db", "-x", "reload"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "LANG": "C.UTF-8"}
    start = time.perf_counter()
    run = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"newsboat ended with {status}")
    return {"seconds": seconds, "peak_kib": usage.ru_maxrss}


def main(binary, sources, items):
    with tempfile.TemporaryDirectory() as temporary, common.Server(sources, items) as server:
        passes = []
        for number in range(PASSES):
            work = pathlib.Path(temporary) / str(number)
            work.mkdir()
            os.sync()
            peer = newsboat(server.urls, work)
            by_peer = sqlite3.connect(work / "newsboat.db").execute("SELECT count(*) FROM rss_item").fetchone()[0]
            common.write_opml(server.urls, work / "sources.opml")
            os.sync()
            own = common.ingest(binary, work, work / "sources.opml", "2026-02-17..2026-02-18")
            stored = common.one(work, "SELECT count(*) FROM content_items")
            print(f"pass {number + 1}: newsboat {peer['seconds']:.2f} s, aha-radar {own['seconds']:.2f} s", flush=True)
            passes.append((peer, own))
        peer, own = (min(each, key=lambda one: one["seconds"]) for each in zip(*passes))
        print(f"\n{sources} sources of {items} items, {common.FETCHES_AT_ONCE} fetches at once\n")
        common.table([
            ("newsboat -x reload", by_peer, peer["seconds"], peer["peak_kib"]),
            ("aha-radar, from its start", stored, own["seconds"], own["peak_kib"]),
            ("aha-radar, its stage ingest", stored, own["stage"], own["peak_kib"]),
        ])
        print(f"\ntimes newsboat's speed: {peer['seconds'] / own['seconds']:.1f}; its memory: {own['peak_kib'] / peer['peak_kib']:.2f}")
        again(binary, work, server)


def again(binary, work, server):
    """A second look at what has not changed."""
    before, answered = common.rows_of(work), server.counts()
    own = common.ingest(binary, work, work / "sources.opml", "2026-02-18..2026-02-19")
    after, now = common.rows_of(work), server.counts()
    answered = {status: count - answered.get(status, 0) for status, count in now.items() if count != answered.get(status, 0)}
    print(f"\nonce more, unchanged: {own['seconds']:.3f} s ({own['stage']:.3f} s the stage), answered {answered}")
    for name in sorted(after):
        if before[name] != after[name]:
            print(f"  {name}: {before[name][0]} rows, now {after[name][0]}")
    print(f"  content_items: {'the same' if before['content_items'] == after['content_items'] else 'CHANGED'}, "
          f"seen in the second look: {common.one(work, 'SELECT sum(items_seen) FROM fetch_runs WHERE http_status = 304')}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
