#!/usr/bin/env python3
"""How well a digest follows interests as people write them: statements with twenty graded items each, read without a model.

usage: statements.py --binary PATH --statements FILE --grades FILE --labels dev.json --feeds FOLDER --tools FOLDER [--only S01,S02] [--json]

In: --statements, a JSON object {name: interests}; --grades, {name: {external id of an item: grade 0, 1 or 2}}; --labels for the window and
for the items (its own grades are not read).

Out, for each statement with an item graded above 0: nDCG@10 over its graded items, P@3 of grade 1 or more (of as many as there are, where
they are fewer than 3), `wrong`, how many of the digest's first three stories hold graded items, but none above 0; beside it BM25 (rank_score.py)
of the statement's positive words over the same items. Items stand in the order of their stories in the digest. It shows at most 30 stories:
items of the others are tied behind them, the newest first (`shown`: how many of the graded items, and of those above 0, it shows).
Items of one story stand newest first; so do ties of BM25. `by score`: the same nDCG@10 where the items that are not shown stand in the order of
their stories' stored Aha scores instead, which tells more of the ranking where few graded items are shown.
For statements without such an item: how many stories the digest calls matching (label `your_words`), of all that it shows, and of its first ten.
"""
import json
import pathlib

import runs

TOP = 3
MATCHING = "your_words"


def measure(bench, statement, grades):
    run = bench.run(statement)
    missing = [key for key in grades if key not in run.items]
    if missing:
        raise SystemExit(f"{len(missing)} graded items are not in the run, such as {missing[0]}")
    shown = run.digest["stories"]
    result = {"graded": len(grades), "relevant": sum(grade > 0 for grade in grades.values()), "stories_shown": len(shown),
              "matching": sum(story["label"] == MATCHING for story in shown), "matching_top": sum(story["label"] == MATCHING for story in shown[:10])}
    if not result["relevant"]:
        return result
    place = {story: rank for rank, story in enumerate(run.shown())}
    newest = sorted(grades, key=lambda key: (-run.items[key].time, key))
    order = sorted(newest, key=lambda key: place.get(run.items[key].story, len(place)))
    # Stories that are not shown are all of one rank, then by stored score.
    stored = lambda story: 0 if story in place else -(run.scores.get(story) or 0)
    by_score = sorted(newest, key=lambda key: (place.get(run.items[key].story, len(place)), stored(run.items[key].story)))
    scores = dict(zip(newest, bench.score.bm25(bench.score.positive(statement), [run.items[key].document for key in newest])))
    by_words = sorted(newest, key=lambda key: -scores[key])
    of_story = {}
    for key, grade in grades.items():
        of_story[run.items[key].story] = max(grade, of_story.get(run.items[key].story, 0))
    visible = [key for key in grades if run.items[key].story in place]
    return result | {
        "shown": len(visible), "shown_relevant": sum(grades[key] > 0 for key in visible),
        "wrong": sum(of_story.get(story) == 0 for story in run.shown()[:TOP]),
        "ungraded_top": sum(story not in of_story for story in run.shown()[:TOP]),
        "by_score_ndcg10": bench.ndcg(by_score, grades), **scored(bench, "", order, grades), **scored(bench, "bm25_", by_words, grades),
    }


def scored(bench, prefix, order, grades):
    return {f"{prefix}ndcg10": bench.ndcg(order, grades), f"{prefix}p3": bench.precision(order, grades, TOP, 1.0)}


MEANS = ("ndcg10", "by_score_ndcg10", "p3", "wrong", "bm25_ndcg10", "bm25_p3")


def main():
    parser = runs.arguments(__doc__)
    parser.add_argument("--statements", required=True, help="a JSON object {name: interests}")
    parser.add_argument("--grades", required=True, help="a JSON object {name: {external id: grade}}")
    parser.add_argument("--only", help="names of statements, separated by commas; all by default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    statements, grades = (json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in (options.statements, options.grades))
    names = options.only.split(",") if options.only else list(statements)
    unknown = [name for name in names if name not in statements or name not in grades]
    if unknown:
        parser.error(f"no statement or no grades: {', '.join(unknown)}")
    bench = runs.bench(options)
    measured = {name: measure(bench, statements[name], grades[name]) for name in names}
    answerable = {name: of for name, of in measured.items() if of["relevant"]}
    total = {name: runs.mean([of[name] for of in answerable.values()]) for name in MEANS}
    total["with_wrong"] = sum(of["wrong"] > 0 for of in answerable.values())
    if options.json:
        print(json.dumps({"statements": measured, "mean_of_answerable": total}))
        return
    show(statements, measured, answerable, total)


def show(statements, measured, answerable, total):
    rows = [["", "relevant", "shown", "nDCG@10", "by score", "P@3", "wrong", "|", "BM25 nDCG@10", "P@3", "  statement"]]
    for name, of in answerable.items():
        rows.append([name, of["relevant"], f"{of['shown']}, {of['shown_relevant']}", of["ndcg10"], of["by_score_ndcg10"], of["p3"], of["wrong"], "|",
                     of["bm25_ndcg10"], of["bm25_p3"], "  " + statements[name][:60].ljust(60)])
    if answerable:
        rows.append(["mean", "", "", total["ndcg10"], total["by_score_ndcg10"], total["p3"], total["wrong"], "|",
                     total["bm25_ndcg10"], total["bm25_p3"], ""])
        runs.table(rows)
        print(f"\n{total['with_wrong']} of {len(answerable)} statements have a story of grade 0 among the first three\n")
    for name, of in measured.items():
        if name not in answerable:
            print(f"{name}: nothing relevant; {of['matching']} of {of['stories_shown']} stories shown are called matching, {of['matching_top']} "
                  f"of the first ten: {statements[name]}")


if __name__ == "__main__":
    main()
