"""Times the program beside scikit-learn on the same labelled documents, called by scripts/bench/clusters.sh.

usage: clusters.py BINARY BENCH LABELLED.jsonl

Two comparisons, each of the best of three passes on both sides:
1. From texts in memory to clusters; ours by `BENCH --time LABELLED.jsonl`. No start, no import, no file.
2. From the file to clusters; ours is all of `BINARY calibrate`, from its start to the written file, scikit-learn's is reading the file
   and putting together, without its start and imports.
The threshold of scikit-learn is the best of many on these very labels, which flatters it; choosing it is not timed.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
from scipy.cluster.hierarchy import fcluster
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer


def bcubed(stories, clusters):
    by_story, by_cluster = collections.Counter(stories), collections.Counter(clusters)
    both = collections.Counter(zip(stories, clusters))
    precision = sum(n * n / by_cluster[cluster] for (_, cluster), n in both.items()) / len(stories)
    recall = sum(n * n / by_story[story] for (story, _), n in both.items()) / len(stories)
    return 2 * precision * recall / (precision + recall)


def radar(binary, labelled, documents):
    """Seconds and B³ F1 of the program."""
    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder) / "found.jsonl"
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "DATABASE_URL": f"sqlite://{folder}/radar.db"}
        start = time.perf_counter()
        command = [binary, "calibrate", "--input", labelled, "--assignments", found, "--json"]
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        clusters = {line["id"]: line["cluster"] for line in map(json.loads, found.open(encoding="utf-8"))}
    return seconds, bcubed([d["story"] for d in documents], [clusters[d["id"]] for d in documents])


def bench(program, labelled):
    """Seconds and B³ F1 of the program's own code on texts in memory."""
    found = subprocess.run([program, "--time", labelled], check=True, capture_output=True, text=True)
    return tuple(map(float, found.stdout.split()[1:]))


def read(labelled):
    """The documents, and the seconds that reading them takes."""
    start = time.perf_counter()
    with open(labelled, encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines if line.strip()]
    return documents, time.perf_counter() - start


def peer(documents):
    """Seconds and B³ F1 of scikit-learn."""
    texts = [f"{d.get('title') or ''}\n{d['text']}" for d in documents]
    start = time.perf_counter()
    vectors = TfidfVectorizer(stop_words="english").fit_transform(texts)
    distances = numpy.clip(1 - (vectors @ vectors.T).toarray(), 0, None)
    model = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=0.8, compute_full_tree=True)
    model.fit(distances)
    seconds = time.perf_counter() - start
    tree = numpy.column_stack([model.children_, model.distances_, numpy.zeros(len(model.children_))]).astype(float)
    sizes = [1] * len(texts)
    for row in tree:
        row[3] = sizes[int(row[0])] + sizes[int(row[1])]
        sizes.append(row[3])
    stories = [d["story"] for d in documents]
    cuts = numpy.arange(0.5, 0.99, 0.02)
    return seconds, max(bcubed(stories, fcluster(tree, cut, "distance")) for cut in cuts)


def best(passes):
    return min(passes(), passes(), passes())


def main():
    binary, program, labelled = sys.argv[1:]
    documents, _ = read(labelled)
    whole, own = best(lambda: radar(binary, labelled, documents)), best(lambda: bench(program, labelled))
    reading, peers = min(read(labelled)[1] for _ in range(3)), best(lambda: peer(documents))
    print(f"{len(documents)} documents; B³ F1 {own[1]:.4f}, scikit-learn {peers[1]:.4f}")
    from_texts, from_file = peers[0] / own[0], (peers[0] + reading) / whole[0]
    print(f"texts in memory: aha-radar {own[0]:.2f} s, scikit-learn {peers[0]:.2f} s: {from_texts:.1f} times as fast")
    print(f"from the file: aha-radar {whole[0]:.2f} s, scikit-learn {peers[0] + reading:.2f} s: {from_file:.1f} times as fast")


main()
