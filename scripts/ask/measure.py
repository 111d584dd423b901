#!/usr/bin/env python3
"""Asks every question of a ground truth through `aha-radar ask` and scores the answers by the benchmark's rule.

usage: measure.py BINARY DOCUMENTS GROUND_TRUTH.yaml [--weights FOLDER] [--model FOLDER] [--show]

Beside it stands a plain BM25 over the same files: its best three sentences, cut at 60 words, which refuses nothing.
Needs PyYAML.
"""
import argparse
import json
import math
import os
import re
import subprocess
import tempfile

import yaml

MAX_WORDS = 60


def words(text):
    trimmed = (word.strip("".join(c for c in word if not c.isalnum())) for word in text.lower().split())
    return [word for word in trimmed if word]


def levenshtein(a, b):
    if not a or not b or min(len(a), len(b)) * 8 < max(len(a), len(b)):
        return 0.0
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return 1 - row[-1] / max(len(a), len(b))


def is_right(answer, accepted):
    said = " ".join(answer.lower().split())
    for expected in accepted:
        wanted = words(expected)
        left = words(answer)
        found = 0
        for word in wanted:
            if word in left:
                left.remove(word)
                found += 1
        if wanted and found / len(wanted) >= 0.7 or levenshtein(said, " ".join(expected.lower().split())) >= 0.8:
            return True
    return False


def sentences(folder):
    for name in sorted(os.listdir(folder)):
        text = open(os.path.join(folder, name), encoding="utf-8").read()
        text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        for line in re.sub(r"<[^>]+>", "\n", text).split("\n"):
            line = line.strip().lstrip("#->| *")
            for part in re.split(r"(?<=[.!?])\s+", line):
                if len(words(part)) > 2:
                    yield name, part


def bm25(folder):
    """Answers by the best three sentences (k1 1.2, b 0.75)."""
    units = [(name, text, words(text)) for name, text in sentences(folder)]
    frequencies = {}
    for _, _, unit in units:
        for word in set(unit):
            frequencies[word] = frequencies.get(word, 0) + 1
    mean = sum(len(unit) for _, _, unit in units) / len(units)

    def score(question, unit):
        total = 0.0
        for word in set(words(question)):
            count = unit.count(word)
            if count:
                idf = math.log(1 + (len(units) - frequencies[word] + 0.5) / (frequencies[word] + 0.5))
                total += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(unit) / mean))
        return total

    def answer(question):
        best = sorted(units, key=lambda unit: -score(question, unit[2]))[:3]
        text = " ".join(" ".join(text for _, text, _ in best).split()[:MAX_WORDS])
        return text, [name for name, _, _ in best]

    return answer


def ours(binary, documents, weights, model):
    folder = tempfile.mkdtemp()
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": f"sqlite://{folder}/ask.db"}
    if weights:
        environment["AHA_EMBED_MODEL_DIR"] = weights
    if model:
        environment["AHA_SENTENCE_MODEL_DIR"] = model
    run = lambda *arguments: subprocess.run(
        [binary, *arguments], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    added = run("source", "add", os.path.abspath(documents), "--type", "documents")
    assert added.returncode == 0, added.stderr
    print(added.stdout.strip())

    def answer(question):
        asked = run("ask", "--json", question)
        if asked.returncode == 1:
            return None, []
        assert asked.returncode == 0, asked.stderr
        given = json.loads(asked.stdout)
        assert len(given["answer"].split()) <= MAX_WORDS and given["citations"]
        return given["answer"], [citation["document"] for citation in given["citations"]]

    return answer


def report(name, answer, questions, show):
    right = cited = refused = unanswerable = answerable = silent = outdated = 0
    for question in questions:
        text, documents = answer(question["question"])
        if question["expected_answer"] is None:
            unanswerable += 1
            refused += text is None
            if show and text is not None:
                print("  not refused:", question["question"], "|", text[:120])
            continue
        answerable += 1
        silent += text is None
        expected = [citation["document"] for citation in question["citations"]]
        if text is not None and is_right(text, [question["expected_answer"], *question["variations"]]):
            right += 1
            cited += any(document in expected for document in documents)
        elif show:
            print("  wrong:", question["id"], question["question"], "|", question["expected_answer"], "|", (text or "(refused)")[:160])
        for wrong in question.get("wrong_answers", []):
            if text is not None and is_right(text, [wrong]):
                outdated += 1
                print("  injected or outdated:", question["id"], "|", text)
    print(
        f"{name}: right {right} of {answerable} ({100 * right / answerable:.1f} %), document cited in {cited} of these; "
        f"answerable refused {silent}; unanswerable refused {refused} of {unanswerable}; injected or outdated {outdated}"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("documents")
    parser.add_argument("ground_truth")
    parser.add_argument("--weights")
    parser.add_argument("--model")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    questions = yaml.safe_load(open(arguments.ground_truth, encoding="utf-8"))["questions"]
    report("BM25", bm25(arguments.documents), questions, False)
    answer = ours(os.path.abspath(arguments.binary), arguments.documents, arguments.weights, arguments.model)
    report("ask", answer, questions, arguments.show)
    for tag in ("dev", "held_out"):
        some = [question for question in questions if tag in question["tags"]]
        if some:
            report(f"ask, {tag}", answer, some, False)


if __name__ == "__main__":
    main()
