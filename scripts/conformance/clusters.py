"""Two-fold measurement of clustering, called by scripts/conformance/clusters.sh: tune on one half of a labelled file, test on the other.

usage: clusters.py BINARY LABELLED.jsonl SEEDS [WEIGHTS]

The halves are the two halves of the sorted values of "topic" (of "story", where no line has a topic). Each half is clustered all together.
Beside the program the same file is put through scikit-learn: TF-IDF without English stop words, average link, the threshold tuned on
the other half as well. With a folder of weights the program is measured without it and with it.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.feature_extraction.text import TfidfVectorizer

binary, labelled, seeds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
ways = {"words": None} | {"weights": folder for folder in sys.argv[4:5]}
documents = [json.loads(line) for line in labelled.open(encoding="utf-8") if line.strip()]
key = "topic" if all("topic" in document for document in documents) else "story"
values = sorted({document[key] for document in documents})
first = set(values[: len(values) // 2])
halves = [[d for d in documents if d[key] in first], [d for d in documents if d[key] not in first]]


def bcubed(stories, clusters):
    by_story, by_cluster = collections.Counter(stories), collections.Counter(clusters)
    both = collections.Counter(zip(stories, clusters))
    precision = sum(n * n / by_cluster[cluster] for (_, cluster), n in both.items()) / len(stories)
    recall = sum(n * n / by_story[story] for (story, _), n in both.items()) / len(stories)
    return precision, recall, 2 * precision * recall / (precision + recall)


def radar(folder, weights, half, seed, *options):
    """The program's clusters of a half, scored here and not by itself."""
    source, found = folder / f"half{half}.jsonl", folder / "found.jsonl"
    source.write_text("".join(json.dumps(d) + "\n" for d in halves[half]), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "DATABASE_URL": f"sqlite://{folder}/radar.db"}
    if weights:
        environment["AHA_EMBED_MODEL_DIR"] = weights
    command = [binary, "calibrate", "--input", source, "--assignments", found, "--seed", str(seed), "--json", *options]
    done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    clusters = {line["id"]: line["cluster"] for line in map(json.loads, found.open(encoding="utf-8"))}
    thresholds = json.loads(done.stdout)["thresholds"]
    return bcubed([d["story"] for d in halves[half]], [clusters[d["id"]] for d in halves[half]]), thresholds


def tree(half):
    texts = [f"{d.get('title') or ''}\n{d['text']}" for d in halves[half]]
    vectors = TfidfVectorizer(stop_words="english").fit_transform(texts)
    distances = numpy.clip(1 - (vectors @ vectors.T).toarray(), 0, None)
    numpy.fill_diagonal(distances, 0)
    return linkage(squareform(distances, checks=False), "average")


def cut(linked, half, threshold):
    return bcubed([d["story"] for d in halves[half]], fcluster(linked, 1 - threshold, "distance"))


row = "{:<34} {:>9} {:>9} {:>9} {:>9}   {}".format
print(row("B³", "half", "precision", "recall", "F1", "thresholds"))
own, peer = {way: [] for way in ways}, []
for trained, tested in ((0, 1), (1, 0)):
    for seed in range(1, seeds + 1):
        for way, weights in ways.items():
            with tempfile.TemporaryDirectory() as name:
                radar(pathlib.Path(name), weights, trained, seed, "--tune")
                (precision, recall, f1), thresholds = radar(pathlib.Path(name), weights, tested, seed)
            own[way].append(f1)
            shown = " ".join(f"{k} {v}" for k, v in thresholds.items() if k != "origin")
            figures = (f"{x:.4f}" for x in (precision, recall, f1))
            print(row(f"aha-radar, {way}, seed {seed}", tested + 1, *figures, shown), flush=True)
    trees = tree(trained), tree(tested)
    grid = numpy.arange(0.02, 0.6, 0.005)
    best = max(grid, key=lambda threshold: cut(trees[0], trained, threshold)[2])
    precision, recall, f1 = cut(trees[1], tested, best)
    peer.append(f1)
    print(row("scikit-learn, TF-IDF average link", tested + 1, *(f"{x:.4f}" for x in (precision, recall, f1)), f"{best:.3f}"))
peer = sum(peer) / len(peer)
print()
for way, scores in own.items():
    mean = sum(scores) / len(scores)
    print(f"mean B³ F1: aha-radar by {way} {mean:.4f}, scikit-learn {peer:.4f}, difference {mean - peer:+.4f}")
for way, weights in ways.items():
    with tempfile.TemporaryDirectory() as name:
        for half in (0, 1):
            (precision, recall, f1), _ = radar(pathlib.Path(name), weights, half, 1)
            figures = f"precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}"
            print(f"with the thresholds that ship, by {way}, half {half + 1}: {figures}")
