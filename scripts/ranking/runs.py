"""Runs of the program over served feeds, shared by the scripts of this folder.

In: the program, a file of labels, a folder of feeds and the folder of the scorers (`rank_score.py`: serving, nDCG, precision, BM25).
Out: for each run its digest and the stories that it made, each with its grade. The rules are those of `rank_score.one`: a story is a row
of `clusters` with at least one labelled item, its grade is the highest mean grade of its members, 0 where a reader graded none.
"""
import argparse
import contextlib
import dataclasses
import importlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
from xml.sax.saxutils import quoteattr

RUN_TIMEOUT_SECONDS = 300
BODY_CHARS = 2000
"""Of an item's text, as much as BM25 reads in rank_score."""

ITEMS_OF_STORIES = """SELECT ci.cluster_id, i.external_id, i.url, i.canonical_url, i.title, i.body_text, i.item_time FROM cluster_items ci
    JOIN content_items i ON i.id = ci.item_id"""


@dataclasses.dataclass
class Item:
    """An item of the run; `key` is the external id by which labels know it."""

    key: str
    story: str
    url: str
    canonical_url: str
    title: str
    text: str
    time: int

    @property
    def document(self):
        """The title twice, then the text: what BM25 is given."""
        return f"{self.title} {self.title} {self.text[:BODY_CHARS]}"


@dataclasses.dataclass
class Run:
    """A finished run. `stories` holds the labelled items by story, `items` all items by key."""

    exit_code: int
    digest: dict
    items: dict
    stories: dict
    considered: int
    """Stories with an item of the window: what candidates are chosen from."""
    scores: dict
    """The stored Aha score by story, shown or not."""
    sources: int
    settings: dict
    failed_calls: dict

    def shown(self):
        """Ids of all stories of the digest, in its order."""
        return [str(story["cluster_id"]) for story in self.digest["stories"]]

    def newest(self, story):
        return max(item.time for item in self.stories[story])


class Bench:
    """The feeds on loopback, and how the program is run over them."""

    def __init__(self, binary, labels, feeds, tools, port):
        sys.path.insert(0, str(pathlib.Path(tools).resolve()))
        self.score = importlib.import_module("rank_score")
        self.binary = os.path.abspath(binary)
        self.labels = json.loads(pathlib.Path(labels).read_text(encoding="utf-8"))
        self.by_key = {}
        for item in self.labels["items"]:
            for key in (item["external_id"], item["url"]):
                if key:
                    self.by_key[key] = item
        self.folder = tempfile.TemporaryDirectory(prefix="ranking-")
        self.feeds = sorted(path for path in pathlib.Path(feeds).iterdir() if path.is_file())
        self.port, self.lists = port, {}

    def sources(self, series):
        """The OPML of the feeds, served at a port of their own for each series. Ids of items and stories follow from addresses, and ties of
        the ranking are broken by ids: one series gives the same digest each time, several show what ties make of it."""
        if series not in self.lists:
            urls = self._serve(self.port + series)
            lines = "".join(f'<outline type="rss" text={quoteattr(name)} xmlUrl={quoteattr(url)}/>' for name, url in urls.items())
            self.lists[series] = pathlib.Path(self.folder.name) / f"{series}.opml"
            self.lists[series].write_text(f'<?xml version="1.0"?><opml version="2.0"><body>{lines}</body></opml>', encoding="utf-8")
        return self.lists[series]

    def _serve(self, port):
        """`rank_score.serve` at a given port instead of any that is free."""
        usual = self.score.Server

        class AtPort(usual):
            def __init__(self, address, handler):
                super().__init__((address[0], port), handler)

        self.score.Server = AtPort
        try:
            return self.score.serve(self.feeds)
        except OSError as error:
            raise SystemExit(f"port {port} cannot be used ({error}); give another with --port, the same for all that is compared") from error
        finally:
            self.score.Server = usual

    def readers(self, names=None):
        """The chosen readers, all where none are named."""
        chosen = names.split(",") if names else list(self.labels["readers"])
        unknown = [name for name in chosen if name not in self.labels["readers"]]
        if unknown:
            raise SystemExit(f"no such reader: {', '.join(unknown)}")
        return chosen

    def interests(self, reader):
        return self.labels["readers"][reader]

    def grades(self, reader):
        """Mean grade by item key."""
        name = self.labels.get("graded_as", {}).get(reader, reader)
        grades = {item["external_id"]: item["grades"].get(name, [0, 0]) for item in self.labels["items"]}
        return {key: sum(of) / len(of) for key, of in grades.items()}

    @staticmethod
    def relevant_from(reader):
        """The least grade of a relevant story; `general` has grades 0 to 3."""
        return 2.0 if reader == "general" else 1.0

    @staticmethod
    def of_stories(run, grades):
        """Grade by story."""
        return {story: max(grades[item.key] for item in items) for story, items in run.stories.items()}

    def ndcg(self, order, grade, k=10):
        return number(self.score.ndcg(order, grade, k))

    def precision(self, order, grade, k, at_least):
        return number(self.score.precision(order, grade, k, at_least))

    def run(self, interests, settings=None, exit_codes=(0, 3), series=0):
        """One window run in a fresh database, deleted afterwards."""
        with tempfile.TemporaryDirectory(prefix="ranking-") as folder:
            folder = pathlib.Path(folder)
            environment = {
                "PATH": os.environ["PATH"], "HOME": str(folder), "TZ": "UTC", "LANG": "C.UTF-8", "DATABASE_URL": "sqlite://aha-radar.db",
                "AHA_OUTPUT_DIR": "digests", "AHA_FETCH_ALLOW": "127.0.0.0/8", "AHA_FETCH_HOST_GAP_MS": "0", "AHA_LOG": "error",
            } | (settings or {})

            def call(*arguments):
                return subprocess.run([self.binary, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
                                      timeout=RUN_TIMEOUT_SECONDS)

            def require(result, codes=(0,)):
                if result.returncode not in codes:
                    raise SystemExit(f"{' '.join(result.args[1:3])} ended with {result.returncode}: {result.stderr[-600:]}")
                return result

            require(call("init"))
            if interests:
                require(call("topic", "set", "default", "--interests", interests))
            window = f"{self.labels['window']['start']}..{self.labels['window']['end']}"
            result = require(call("--run-once", "--import", str(self.sources(series)), "--window", window), exit_codes)
            digest = json.loads(require(call("digest", "latest", "--format", "json")).stdout)
            with contextlib.closing(sqlite3.connect(folder / "aha-radar.db")) as database:
                return self._read(database, result.returncode, digest)

    def _read(self, database, exit_code, digest):
        items, stories = {}, {}
        for story, key, url, canonical, title, text, time in database.execute(ITEMS_OF_STORIES):
            labelled = self.by_key.get(key) or self.by_key.get(url)
            item = Item(labelled["external_id"] if labelled else key, str(story), url or "", canonical or "", title or "", text or "", time)
            items[item.key] = item
            if labelled:
                stories.setdefault(item.story, []).append(item)
        if not stories:
            raise SystemExit("the run holds no labelled item: do the feeds belong to the labels?")
        sources = database.execute("SELECT count(*) FROM sources WHERE enabled = 1").fetchone()[0]
        settings, start, end = database.execute("SELECT settings_json, window_start, window_end FROM runs").fetchone()
        considered = len({item.story for item in items.values() if start <= item.time < end})
        # A fingerprint is the story's id and the step of its number of sources.
        scores = {fingerprint.partition(":")[0]: score for fingerprint, score in database.execute(
            "SELECT fingerprint, json_extract(answer_json, '$.aha_score') FROM answers WHERE task = 'triage'")}
        failed = dict(database.execute(
            "SELECT purpose || ': ' || coalesce(error_kind, state), count(*) FROM provider_calls WHERE state <> 'ok' GROUP BY 1"))
        return Run(exit_code, digest, items, stories, considered, scores, sources, json.loads(settings), failed)


def number(value):
    """NaN, where nothing is relevant, as None."""
    return None if value != value else round(value, 4)


def mean(values):
    values = [value for value in values if value is not None]
    return round(sum(values) / len(values), 4) if values else None


def table(rows):
    """Prints rows of cells, the first being the head, in columns."""
    cells = [[cell(value) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        first, *others = (text.ljust(width) if column == 0 else text.rjust(width) for column, (text, width) in enumerate(zip(row, widths)))
        print("  ".join([first, *others]).rstrip())


def cell(value):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.1f}" if value >= 10 else f"{value:.3f}"
    return str(value)


def arguments(description):
    """A parser with what all scripts take."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the program")
    parser.add_argument("--labels", required=True, help="dev.json: window, readers, graded items")
    parser.add_argument("--feeds", required=True, help="a folder of feed files")
    parser.add_argument("--port", type=int, default=47110, help="where feeds are served; %(default)s by default. Ids follow from it")
    parser.add_argument("--tools", required=True, help="the folder of rank_score.py")
    return parser


def bench(options):
    return Bench(options.binary, options.labels, options.feeds, options.tools, options.port)
