"""Times the program beside scikit-learn on the same labelled documents, called by scripts/clusters_speed.sh.

usage: clusters_speed.py BINARY LABELLED.jsonl

Of scikit-learn neither the imports nor reading the file are timed; of the program everything is, from its start to the written file. The
threshold of scikit-learn is the best of many on these very labels, which flatters it; choosing it is not timed either.
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


def main():
    binary, labelled = sys.argv[1:]
    documents = [json.loads(line) for line in open(labelled, encoding="utf-8") if line.strip()]
    own, peers = radar(binary, labelled, documents), peer(documents)
    print(f"{len(documents)} documents: aha-radar {own[0]:.2f} s, B³ F1 {own[1]:.4f}")
    print(f"{len(documents)} documents: scikit-learn {peers[0]:.2f} s, B³ F1 {peers[1]:.4f}")
    print(f"{peers[0] / own[0]:.1f} times as fast")


main()
