"""The work of scripts/bench/scale.sh: makes the days, runs them, and compares."""
import datetime
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import xml.sax.saxutils as sax

PROGRAM = os.environ["AHA_RADAR"]
FEEDS = 20
FEW, NEW = 3000, 300
A_DAY = int(os.environ.get("AHA_SCALE_A_DAY", "100"))
REPEATS = 5
FIRST = datetime.datetime(2026, 1, 1, 7, tzinfo=datetime.timezone.utc)
# What is written again under other ids, further back, to make a long past: table, and what becomes of its columns.
SHIFTED = {
    "content_items": {
        "id": "{id}", "external_id": "external_id || '-{k}'", "hash_url": "hash_url || '{k}'", "hash_text": "hash_text || '{k}'",
        "item_time": "item_time - {ms}", "published_at": "published_at - {ms}", "fetched_at": "fetched_at - {ms}",
        "duplicate_of": "{duplicate_of}",
    },
    "content_item_sources": {
        "external_id": "external_id || '-{k}'", "item_id": "{item_id}", "first_seen_at": "first_seen_at - {ms}",
        "published_time": "published_time - {ms}",
    },
    "topic_items": {"item_id": "{item_id}"},
    "embeddings": {"item_id": "{item_id}", "content_hash": "content_hash || '{k}'"},
    "clusters": {"id": "{id}", "representative_item_id": "{representative_item_id}", "merged_into": "NULL"},
    "cluster_items": {"item_id": "{item_id}", "cluster_id": "{cluster_id}"},
}


class World:
    """Texts that look like news: words as rare as words are, names, and stories that several feeds tell."""

    def __init__(self):
        self.random = random.Random(20261119)
        syllables = [c + v for c in "b d f g k l m n p r s t v z st kr pl".split() for v in "a e i o u ai".split()]
        word = lambda: "".join(self.random.choices(syllables, k=self.random.choice((2, 2, 3, 3, 4))))
        self.words = list(dict.fromkeys(word() for _ in range(30000)))
        weights = [1 / (rank + 3) for rank in range(len(self.words))]
        self.cumulative = [sum_ for sum_ in _running(weights)]
        self.names = [word().capitalize() for _ in range(6000)]

    def text(self, count):
        return self.random.choices(self.words, cum_weights=self.cumulative, k=count)

    def story(self):
        return {"names": self.random.sample(self.names, 4), "words": self.text(40)}

    def item(self, story):
        rng = self.random
        title = rng.sample(story["names"], 2) + rng.sample(story["words"], 4) + self.text(2)
        body = rng.sample(story["words"], 30) + story["names"] + self.text(rng.randint(30, 160))
        rng.shuffle(body)
        return " ".join(title), " ".join(body) + "."

    def day(self, day):
        """A day's items by feed: two thirds tell a story of their own, the others one of the day's stories."""
        shared = [self.story() for _ in range(A_DAY // 8)]
        feeds = [[] for _ in range(FEEDS)]
        for number in range(A_DAY):
            story = self.random.choice(shared) if number % 3 == 0 else self.story()
            title, body = self.item(story)
            when = FIRST + datetime.timedelta(days=day, minutes=-self.random.randint(1, 1430))
            feeds[number % FEEDS].append((f"{day}-{number}", title, body, when))
        return feeds


def _running(weights):
    total = 0
    for weight in weights:
        total += weight
        yield total


def write_feeds(folder, feeds):
    for number, items in enumerate(feeds):
        lines = [f'<?xml version="1.0"?><rss version="2.0"><channel><title>Feed {number}</title>']
        for key, title, body, when in items:
            lines.append(
                f"<item><guid isPermaLink='false'>{key}</guid><link>https://f{number}.example/{key}</link>"
                f"<title>{sax.escape(title)}</title><description>{sax.escape(body)}</description>"
                f"<pubDate>{when:%a, %d %b %Y %H:%M:%S} +0000</pubDate></item>"
            )
        lines.append("</channel></rss>")
        (folder / f"feed-{number}.xml").write_text("\n".join(lines))


class Radar:
    def __init__(self, folder, database):
        self.folder, self.database = folder, database

    def call(self, day, *arguments):
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "DATABASE_URL": self.database, "AHA_LOG": "info,aha_radar::pipeline=debug",
            "AHA_LOG_FORMAT": "json", "AHA_OUTPUT_DIR": str(self.folder / "digests"), "AHA_RETAIN_ITEMS_DAYS": "0",
            "AHA_NOW": f"{FIRST + datetime.timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}",
        }
        start = time.perf_counter()
        done = subprocess.run([PROGRAM, *arguments], env=environment, cwd=self.folder, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if done.returncode not in (0, 3):
            sys.exit(f"scripts/bench/scale.py: {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return seconds * 1000, done.stderr

    def run(self, day):
        """Milliseconds of the run, in all and by stage."""
        whole, log = self.call(day, "run", "--json")
        stages = {"the whole run": whole}
        for line in log.splitlines():
            entry = json.loads(line) if line.startswith("{") else {}
            if entry.get("message") == "stage finished":
                stages[entry["stage"]] = float(entry["elapsed_ms"])
        return stages


def grow(database, items):
    """Writes the past again, further and further back, until that many items are stored; the days stay as dense as they are."""
    db = sqlite3.connect(database)
    tables = {table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")] for table in SHIFTED}
    for table in tables:
        db.execute(f"CREATE TEMP TABLE past_{table} AS SELECT * FROM {table}")
    have, first, last = db.execute("SELECT count(*), min(item_time), max(item_time) FROM content_items").fetchone()
    for k in range(1, -(-items // have)):
        names = ("id", "item_id", "cluster_id", "duplicate_of", "representative_item_id")
        ids = {name: f"substr({name}, 1, 30) || '{k:06d}'" for name in names}
        for table, changes in SHIFTED.items():
            changed = {column: rule.format(k=k, ms=k * (last - first + 1), **ids) for column, rule in changes.items()}
            values = ", ".join(changed.get(column, column) for column in tables[table])
            db.execute(f"INSERT INTO {table} ({', '.join(tables[table])}) SELECT {values} FROM past_{table}")
    db.execute("ANALYZE")
    db.commit()
    stored = db.execute("SELECT count(*) FROM content_items").fetchone()[0]
    db.close()
    return stored


def medians(runs):
    return {stage: statistics.median(run[stage] for run in runs) for stage in runs[0]}


def show(kind, few, many, stored):
    print(f"\n{kind}: a run over {NEW} new items, median of {REPEATS}, milliseconds\n")
    print(f"{'':16}{f'{FEW} stored':>16}{f'{stored} stored':>16}{'ratio':>8}")
    for stage in few:
        ratio = many[stage] / few[stage] if few[stage] else float("nan")
        print(f"{stage:16}{few[stage]:16.0f}{many[stage]:16.0f}{ratio:8.2f}", flush=True)


def on_sqlite(folder, database, day):
    runs = []
    for _ in range(REPEATS):
        # A log that the last run left behind belongs to its copy.
        for left in folder.glob("run.db*"):
            left.unlink()
        shutil.copy(database, folder / "run.db")
        # Else the run waits for the disk to take the copy.
        os.sync()
        runs.append(Radar(folder, f"sqlite://{folder}/run.db").run(day))
    return medians(runs)


def on_postgres(folder, database, day):
    server, name = os.environ["AHA_TEST_POSTGRES_URL"], f"scale_{os.getpid()}"
    url = lambda database: server.rsplit("/", 1)[0] + "/" + database
    sql = lambda text: subprocess.run(["psql", "--quiet", "--no-psqlrc", server, "-c", text], check=True)
    sql(f"CREATE DATABASE {name}")
    milliseconds, _ = Radar(folder, f"sqlite://{database}").call(day, "copy", "--to", url(name))
    print(f"copied {database.name} to Postgres in {milliseconds / 1000:.1f} s", file=sys.stderr)
    runs = []
    for _ in range(REPEATS):
        sql(f"CREATE DATABASE {name}_run TEMPLATE {name}")
        runs.append(Radar(folder, url(f"{name}_run")).run(day))
        sql(f"DROP DATABASE {name}_run")
    sql(f"DROP DATABASE {name}")
    return medians(runs)


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="aha-scale."))
    try:
        measure(folder, int(sys.argv[1]))
    finally:
        shutil.rmtree(folder)


def measure(folder, items):
    world, few, many = World(), folder / "few.db", folder / "many.db"
    radar = Radar(folder, f"sqlite://{few}")
    write_feeds(folder, [[] for _ in range(FEEDS)])
    radar.call(-1, "source", "add", *(f"feed-{number}.xml" for number in range(FEEDS)))
    days = FEW // A_DAY
    for day in range(days):
        write_feeds(folder, world.day(day))
        radar.run(day)
    sqlite3.connect(few).execute("ANALYZE").connection.close()
    shutil.copy(few, many)
    stored = grow(many, items)
    # All that is new at once: the days it took to publish it, seen in one run.
    later = [world.day(day) for day in range(days, days + NEW // A_DAY)]
    write_feeds(folder, [sum(feeds, []) for feeds in zip(*later)])
    day = days + len(later) - 1
    show("SQLite", on_sqlite(folder, few, day), on_sqlite(folder, many, day), stored)
    if shutil.which("psql"):
        show("Postgres", on_postgres(folder, few, day), on_postgres(folder, many, day), stored)
    else:
        print("\npsql is missing: Postgres was not measured")


main()
