#!/usr/bin/env python3
"""How often search finds the passage that answers a question among its first ten results: by words, by meaning, and by both.

usage: recall.py BINARY DOCUMENTS GROUND_TRUTH.yaml --weights FOLDER

Each question is searched for as it is, and by its two rarest words, as somebody types who knows what the document says. A hit is a result of the
document and section that the ground truth cites. Needs PyYAML.
"""
import argparse
import json
import os
import subprocess
import tempfile

import yaml

from measure import sentences, words

BY = ("words", "meaning", "both")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("documents")
    parser.add_argument("ground_truth")
    parser.add_argument("--weights", required=True)
    options = parser.parse_args()
    binary, folder = os.path.realpath(options.binary), os.path.realpath(options.documents)
    with open(options.ground_truth, encoding="utf-8") as file:
        questions = [q for q in yaml.safe_load(file)["questions"] if q.get("citations")]
    frequencies = {}
    for _, sentence in sentences(folder):
        for word in set(words(sentence)):
            frequencies[word] = frequencies.get(word, 0) + 1

    def keywords(question):
        known = [word for word in dict.fromkeys(words(question)) if word in frequencies]
        rarest = sorted(known, key=lambda word: frequencies[word])[:2]
        return " ".join(word for word in known if word in rarest)

    with tempfile.TemporaryDirectory() as home:
        environment = {
            "PATH": os.environ["PATH"], "HOME": home, "DATABASE_URL": f"sqlite://{home}/radar.db",
            "AHA_EMBED_MODEL_DIR": os.path.realpath(options.weights),
        }

        def radar(*arguments):
            return subprocess.run([binary, *arguments], cwd=home, env=environment, capture_output=True, text=True)

        radar("source", "add", folder, "--type", "documents").check_returncode()

        def found(query, by, cited):
            answer = radar("search", query, "--by", by, "--limit", "10", "--json")
            answer.check_returncode()
            results = json.loads(answer.stdout)["results"]
            places = {(result["document"], result["section"]) for result in results}
            return any((citation["document"], citation["section"]) in places for citation in cited)

        print(f"{'recall@10':<22}" + "".join(f"{by:>10}" for by in BY))
        for name, query_of in (("the question", lambda text: text), ("its two rarest words", keywords)):
            asked = [(query_of(q["question"]), q["citations"]) for q in questions]
            asked = [(query.replace('"', " ").replace("-", " "), cited) for query, cited in asked if query]
            shares = [sum(found(query, by, cited) for query, cited in asked) / len(asked) for by in BY]
            print(f"{name:<22}" + "".join(f"{share:>10.3f}" for share in shares) + f"   of {len(asked)}")


main()
