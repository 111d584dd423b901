#!/usr/bin/env python3
"""Finds how sentences are weighed, and when a question counts as answered, on labelled questions.

usage: fit.py SET… [--decision SET…] [--aside SET…] [--columns N,…] [--penalty N] [--refused SHARE]
       fit.py SET… --standing [--aside SET…] [--kept SHARE]

A SET is FEATURES.jsonl=GROUND_TRUTH.yaml, the features as `examples/ask_features.rs` prints them. Order: a softmax over all sentences of
a question, of which those that are right should have the whole. Refusal: a logistic regression on the best sentence; besides the questions that
cannot be answered it learns from each other question without the sentences that answer it. The order is fitted on all sets, the decision on those behind
--decision, or on all; the figures of its sets are of leaving each out in turn, of a large one each third. Those behind --aside are only measured.
--columns: what the decision is made by, of evidence and features in the order of their fields. Needs PyYAML, numpy, scipy.

--standing: fits only the weights of `confidence.rs`, which refuse answers by similarity that do not stand out, and
prints right and wrong answers before and after. Its sets should be of stores with few documents and with many unrelated
ones: the same questions, once with the documents of `tests/data/ask` alone and once with a folder of articles as a
second source. --kept: the share of the right ones to keep, with each set left out.
"""
import argparse
import json

import numpy
import yaml
from scipy.optimize import minimize

from measure import MAX_WORDS, is_right

# What a question without the sentences that answer it counts.
SYNTHETIC = 0.3
# Sets of several organisations are left out one organisation at a time, and larger ones by thirds.
ORGANISATIONS = ("library", "quillon")
LARGE = 100
# Of `extract.rs`.
WORTH_QUOTING, WORTH_QUOTING_ELSEWHERE = 3.0, 2.0


def load(names):
    features, truth = names.split("=")
    questions = yaml.safe_load(open(truth, encoding="utf-8"))["questions"]
    loaded = []
    for number, (question, line) in enumerate(zip(questions, open(features, encoding="utf-8"))):
        described = json.loads(line)
        assert described["question"] == question["question"]
        sentences = [s for s in described["sentences"] if s["is_in_force"]]
        accepted = None
        if question["expected_answer"] is not None:
            accepted = [question["expected_answer"], *question["variations"]]
        documents = {citation["document"] for citation in question["citations"]}
        sections = {citation["section"] for citation in question["citations"]}
        right = [
            accepted is not None and s["document"] in documents and is_right(s["text"], accepted)
            for s in sentences
        ]
        organisation = next((tag for tag in question["tags"] if tag in ORGANISATIONS), "")
        if len(questions) >= LARGE:
            organisation = str(number % 3)
        loaded.append(
            {
                "question": question["question"],
                "accepted": accepted,
                "is_large": len(questions) >= LARGE,
                "group": truth + " " + organisation,
                "wrong": question.get("wrong_answers", []),
                "documents": documents,
                "sentences": sentences,
                "x": numpy.array([s["features"] for s in sentences]),
                "evidence": numpy.array([s["evidence"] for s in sentences]),
                "right": numpy.array(right, dtype=bool),
                "in_section": numpy.array([s["section"] in sections for s in sentences], dtype=bool),
            }
        )
    return loaded


def fit_order(questions, penalty):
    used = [q for q in questions if q["right"].any()]
    count = used[0]["x"].shape[1]
    free = numpy.any(numpy.concatenate([q["x"] for q in used]) != 0, axis=0)
    target = [numpy.where(q["right"] & q["in_section"], 1.0, 0.0) if (q["right"] & q["in_section"]).any() else q["right"] * 1.0 for q in used]

    def loss(weights):
        value, gradient = penalty * weights @ weights, 2 * penalty * weights
        for q, wanted in zip(used, target):
            scores = q["x"] @ weights
            scores = scores - scores.max()
            odds = numpy.exp(scores)
            share, own = odds / odds.sum(), odds * wanted
            value -= numpy.log(own.sum() / odds.sum())
            gradient = gradient + q["x"].T @ share - q["x"].T @ (own / own.sum())
        return value, gradient

    signs = [(None, None) if free[i] else (0, 0) for i in range(count)]
    found = minimize(loss, numpy.zeros(count), jac=True, method="L-BFGS-B", bounds=signs)
    return found.x


def best_order(q, weights):
    return numpy.argsort(-(q["x"] @ weights), kind="stable")


def of_decision(q, weights, order):
    """What the decision is made by: evidence, whose last is the score, and features of the best sentence."""
    best = order[0]
    return numpy.concatenate([q["evidence"][best][:-1], [q["x"][best] @ weights], q["x"][best]])


def without_answer(q):
    """Of a large set the whole documents go: what one of their other sentences says may answer too."""
    in_documents = numpy.array([s["document"] in q["documents"] for s in q["sentences"]], dtype=bool)
    keep = ~(in_documents if q["is_large"] else q["right"])
    return {**q, "x": q["x"][keep], "evidence": q["evidence"][keep], "sentences": [s for s, k in zip(q["sentences"], keep) if k], "right": q["right"][keep], "accepted": None}


def rows_of(questions, weights):
    """What the decision learns from: rows, whether they are answered, and what each counts."""
    rows, labels, counts = [], [], []
    for q in [q for q in questions if q["sentences"]]:
        rows.append(of_decision(q, weights, best_order(q, weights)))
        labels.append(1.0 if q["accepted"] else 0.0)
        counts.append(1.0 if q["accepted"] else 2.0)
        other = without_answer(q)
        if q["accepted"] and q["right"].any() and other["sentences"]:
            rows.append(of_decision(other, weights, best_order(other, weights)))
            labels.append(0.0)
            counts.append(SYNTHETIC)
    return rows, labels, counts


def fit_decision(rows, labels, counts, penalty, columns):
    rows = [row[columns] for row in rows]
    rows, labels, counts = numpy.array(rows), numpy.array(labels), numpy.array(counts)
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    scaled = (rows - mean) / deviation

    def loss(parameters):
        odds = scaled @ parameters[1:] + parameters[0]
        chance = 1 / (1 + numpy.exp(-odds))
        value = -(counts * (labels * numpy.log(chance + 1e-12) + (1 - labels) * numpy.log(1 - chance + 1e-12))).sum()
        gradient = counts * (chance - labels)
        value += penalty * parameters[1:] @ parameters[1:]
        return value, numpy.concatenate([[gradient.sum()], scaled.T @ gradient + 2 * penalty * parameters[1:]])

    found = minimize(loss, numpy.zeros(scaled.shape[1] + 1), jac=True, method="L-BFGS-B").x
    own = found[1:] / deviation
    return own, found[0] - own @ mean


def answer(q, weights, order):
    """The sentences that are quoted, by the rule of `extract.rs`."""
    chosen, words = [], 0
    scores = q["x"] @ weights
    first = q["sentences"][order[0]]["document"]
    for at in order[:25]:
        length = len(q["sentences"][at]["text"].split())
        if scores[at] < scores[order[0]] - (WORTH_QUOTING if q["sentences"][at]["document"] == first else WORTH_QUOTING_ELSEWHERE):
            continue
        if words + length <= MAX_WORDS and q["sentences"][at]["text"] not in [q["sentences"][c]["text"] for c in chosen]:
            chosen.append(at)
            words += length
    return chosen


def outcome(q, chosen):
    text = " ".join(q["sentences"][at]["text"] for at in chosen)
    right = q["accepted"] is not None and is_right(text, q["accepted"])
    cited = any(q["sentences"][at]["document"] in q["documents"] for at in chosen)
    return right, cited, any(is_right(text, [wrong]) for wrong in q["wrong"])


def report(name, results):
    answerable = [r for r in results if r["is_answerable"]]
    rest = [r for r in results if not r["is_answerable"]]
    print(
        f"  {name}: right {sum(r['right'] and r['answered'] for r in answerable)} of {len(answerable)}"
        f" ({100 * numpy.mean([r['right'] and r['answered'] for r in answerable]):.1f} %), without refusing {sum(r['right'] for r in answerable)},"
        f" best sentence {sum(r['first'] for r in answerable)}; refused {sum(not r['answered'] for r in rest)} of {len(rest)};"
        f" injected or outdated {sum(r['wrong'] and r['answered'] for r in results)}; words {numpy.mean([r['words'] for r in answerable]):.0f}"
    )


def judged(questions, weights, decision, threshold, columns):
    own, constant = decision
    results = []
    for q in questions:
        if not q["sentences"]:
            results.append({"is_answerable": q["accepted"] is not None, "answered": False, "odds": -99.0, "right": False, "first": False, "cited": False, "wrong": False, "words": 0})
            continue
        order = best_order(q, weights)
        odds = of_decision(q, weights, order)[columns] @ own + constant
        chosen = answer(q, weights, order)
        right, cited, wrong = outcome(q, chosen)
        results.append(
            {
                "is_answerable": q["accepted"] is not None,
                "answered": odds >= threshold,
                "odds": odds,
                "right": right,
                "first": bool(q["right"][order[0]]),
                "cited": cited,
                "wrong": wrong,
                "words": sum(len(q["sentences"][at]["text"].split()) for at in chosen),
            }
        )
    return results


def answers_of(name):
    """What is quoted if it stands out, whether or not it does."""
    features, truth = name.split("=")
    questions = yaml.safe_load(open(truth, encoding="utf-8"))["questions"]
    found = []
    for question, line in zip(questions, open(features, encoding="utf-8")):
        answer = json.loads(line)["answer"]
        if not answer or not answer["is_likely"] or not answer["standing"]:
            continue
        accepted = [question["expected_answer"], *question["variations"]] if question["expected_answer"] else []
        right = bool(accepted) and is_right(answer["text"], accepted)
        row = numpy.array(answer["standing"])
        found.append({"group": truth, "row": row, "right": right, "by_words": answer["is_by_words"]})
    return found


def fit_standing(names, aside, kept):
    sets = {name: answers_of(name) for name in names}
    similar = [a for answers in sets.values() for a in answers if not a["by_words"]]
    columns = list(range(len(similar[0]["row"])))

    def fitted(answers):
        rows, labels = [a["row"] for a in answers], [float(a["right"]) for a in answers]
        return fit_decision(rows, labels, [1.0] * len(answers), 3.0, columns)

    odds = []
    for answer in similar:
        if "odds" not in answer:
            own, constant = fitted([a for a in similar if a["group"] != answer["group"]])
            for a in similar:
                if a["group"] == answer["group"]:
                    a["odds"] = a["row"] @ own + constant
        odds.append(answer["odds"])
    threshold = numpy.quantile([odds for odds, a in zip(odds, similar) if a["right"]], 1 - kept)
    own, constant = fitted(similar)
    for name, answers in [*sets.items(), *((name, answers_of(name)) for name in aside)]:
        left = [a for a in answers if a["by_words"] or a.get("odds", a["row"] @ own + constant) >= threshold]
        counts = [(sum(a["right"] for a in some), sum(not a["right"] for a in some)) for some in (answers, left)]
        print(f"  {name.split('=')[0]}: right {counts[0][0]} to {counts[1][0]}, wrong {counts[0][1]} to {counts[1][1]}")
    rounded = [round(float(weight), 3) for weight in [*own, constant, threshold]]
    print("standing", rounded[:-2], rounded[-2], "threshold", rounded[-1])


def threshold_of(results, refused):
    """The lowest odds at which such a share of what cannot be answered is refused."""
    odds = sorted(r["odds"] for r in results if not r["is_answerable"])
    at = min(len(odds) - 1, int(numpy.ceil(refused * len(odds))))
    return (odds[at - 1] + odds[at]) / 2 if at else odds[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--decision", nargs="*", default=[])
    parser.add_argument("--aside", nargs="*", default=[])
    parser.add_argument("--penalty", type=float, default=0.5)
    parser.add_argument("--decision-penalty", type=float, default=1.0)
    parser.add_argument("--refused", type=float, default=0.75)
    parser.add_argument("--columns", default="3,5,6")
    parser.add_argument("--standing", action="store_true")
    parser.add_argument("--kept", type=float, default=0.97)
    arguments = parser.parse_args()
    if arguments.standing:
        fit_standing(arguments.sets, arguments.aside, arguments.kept)
        return
    everything = [q for name in arguments.sets for q in load(name)]
    columns = [int(column) for column in arguments.columns.split(",")]
    groups = sorted({q["group"] for q in everything})
    truths = [name.split("=")[1] for name in arguments.decision or arguments.sets]
    deciding = [group for group in groups if group.rsplit(" ", 1)[0] in truths]
    inside = lambda group: [q for q in everything if q["group"] == group]
    orders = {g: fit_order([q for q in everything if q["group"] != g], arguments.penalty) for g in groups}

    def decision(groups, weights):
        parts = zip(*(rows_of(inside(g), weights) for g in groups))
        return fit_decision(*([one for part in some for one in part] for some in parts), arguments.decision_penalty, columns)

    left_out = []
    for group in deciding:
        fitted = decision([g for g in deciding if g != group], orders[group])
        left_out.append((group, judged(inside(group), orders[group], fitted, 0.0, columns)))
    threshold = threshold_of([r for _, results in left_out for r in results], arguments.refused)
    for group, results in left_out:
        for r in results:
            r["answered"] = r["odds"] >= threshold
        report(group, results)
    report("all, each left out", [r for _, results in left_out for r in results])
    weights = fit_order(everything, arguments.penalty)
    fitted = decision(deciding, weights)
    print("order", [round(float(w), 3) for w in weights])
    print("decision", columns, [round(float(w), 3) for w in fitted[0]], round(float(fitted[1]), 3), "threshold", round(float(threshold), 3))
    for name in arguments.aside:
        report("aside " + name.split("=")[0], judged(load(name), weights, fitted, threshold, columns))


if __name__ == "__main__":
    main()
