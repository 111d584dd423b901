"""Shows in figures how two digests of the same items differ, called by scripts/conformance/digests.sh.

usage: digests.py PROGRAM BEFORE AFTER [LABELS]

BEFORE and AFTER are folders with `radar.db` and `digest.json`. How likely a title is noise says `PROGRAM noise`. With labels (in the
form of examples/stories.json) also how many stories were found, and where promotions, teasers and bait went.
"""
import collections
import json
import pathlib
import sqlite3
import subprocess
import sys


def noise(program, titles, folder):
    """By title, from 0 to 1."""
    lines = folder / "titles"
    lines.write_text("".join(" ".join(title.split()) + "\n" for title in titles), encoding="utf-8")
    found = subprocess.run([program, "noise", "--input", lines, "--json"], check=True, capture_output=True, text=True)
    return [json.loads(line)["noise"] for line in found.stdout.splitlines()]


def bcubed(labels, clusters):
    by_label, by_cluster = collections.Counter(labels), collections.Counter(clusters)
    both = collections.Counter(zip(labels, clusters))
    precision = sum(n * n / by_cluster[cluster] for (_, cluster), n in both.items()) / len(labels)
    recall = sum(n * n / by_label[label] for (label, _), n in both.items()) / len(labels)
    return 2 * precision * recall / (precision + recall)


def spread(values):
    values = sorted(values)
    return f"{values[0]} to {values[-1]}, {len(set(values))} different"


def rows(database):
    """Of each item its names in the feeds, its story and its source."""
    found = collections.defaultdict(set)
    query = """SELECT p.external_id, p.url, m.item_id, coalesce(c.merged_into, c.id), p.source_id FROM content_item_sources p
               JOIN cluster_items m ON m.item_id = p.item_id JOIN clusters c ON c.id = m.cluster_id"""
    for name, url, item, story, source in sqlite3.connect(database).execute(query):
        found[item, story].add((name, url, source))
    return found


def stories(placed):
    """By number of items and of sources."""
    items, sources = collections.Counter(), collections.defaultdict(set)
    for (_, story), names in placed.items():
        items[story] += 1
        sources[story] |= {source for _, _, source in names}
    return items, sources


def labelled(placed, labels):
    story_of = {name: story for (_, story), names in placed.items() for pair in names for name in pair[:2]}
    told = [(number, story_of[item]) for number, story in enumerate(labels["stories"]) for item in story["items"]]
    whole = [len({story for label, story in told if label == number}) == 1 for number in range(len(labels["stories"]))]
    yield "labelled stories found whole", f"{sum(whole)} of {len(whole)}"
    yield "B³ F1 of their items", f"{bcubed([label for label, _ in told], [story for _, story in told]):.3f}"


def kinds(placed, shown, labels):
    item_of = {name: item for (item, _), names in placed.items() for pair in names for name in pair[:2]}
    for kind in ["promotions", "teasers", "clickbait"]:
        items = {item_of[name] for name in labels[kind]}
        ranks = [story["rank"] for story in shown if story["id"] in items or any(s["item_id"] in items for s in story["sources"][:1])]
        top, scan = sum(rank <= 10 for rank in ranks), sum(rank > 10 for rank in ranks)
        yield f"{kind} on top, to scan ({len(items)} labelled)", f"{top}, {scan}"


def figures(program, folder, labels):
    digest = json.loads((folder / "digest.json").read_text(encoding="utf-8"))
    placed, shown = rows(folder / "radar.db"), digest["stories"]
    top = [story for story in shown if story["section"] == "top"]
    items, sources = stories(placed)
    told_by = lambda story: {source["name"] for source in story["sources"]}
    yield "items in the window", digest["digest"]["items"]
    yield "items told by a story shown", digest["skipped"]["folded"]
    yield "stories of two items or more, of two sources or more (all items)", (
        f"{sum(n > 1 for n in items.values())}, {sum(len(of) > 1 for of in sources.values())}")
    yield "items in the largest story", max(items.values())
    if labels:
        yield from labelled(placed, labels)
    yield "stories on top told by several sources", sum(len(told_by(story)) > 1 for story in top)
    yield "sources that the ten on top open with", len({story["sources"][0]["name"] for story in top})
    if labels:
        yield from kinds(placed, shown, labels)
    rated = noise(program, [story["title"] for story in shown], folder)
    yield "titles shown that are noise (0.9 or more by the model of today)", sum(score >= 0.9 for score in rated)
    yield "mean noise of the titles on top, to scan", (
        f"{sum(rated[:10]) / 10:.2f}, {sum(rated[10:]) / max(len(rated) - 10, 1):.2f}")
    yield "Aha scores shown", spread([round(story["aha_score"]) for story in shown])
    yield "final score of the first, the tenth, the last", ", ".join(f"{shown[n]['final_score']:.2f}" for n in [0, 9, -1])


def main():
    program, *folders = sys.argv[1:4]
    labels = json.loads(pathlib.Path(sys.argv[4]).read_text(encoding="utf-8")) if len(sys.argv) > 4 else None
    folders = [pathlib.Path(folder) for folder in folders]
    before, after = (list(figures(program, folder, labels)) for folder in folders)
    print("| | before | after |\n|---|---|---|")
    for (name, was), (_, now) in zip(before, after):
        print(f"| {name} | {was} | {now} |")
    for name, folder in zip(["before", "after"], folders):
        print(f"\nOn top {name}:\n")
        for story in json.loads((folder / "digest.json").read_text(encoding="utf-8"))["stories"][:10]:
            sources = len({source["name"] for source in story["sources"]})
            print(f"{story['rank']}. {story['title']} ({story['aha_score']:.0f}; {sources} sources)")


main()
