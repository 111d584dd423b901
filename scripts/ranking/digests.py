#!/usr/bin/env python3
"""The first ten stories of several readers' digests in one Markdown file, to be read by eye.

usage: digests.py --binary PATH --labels dev.json --feeds FOLDER --tools FOLDER --out FOLDER [--readers D1,D2,…]

In: the program, graded items, their feeds; each run is made without a model. Out: FOLDER/digests.md with each story's rank, printed score,
label, title, reason, quote (the lead of its summary, else the opening of its text) and grade; before them the reader's interests and
figures, after them the relevant stories that are not among the ten. Grades are 0 to 2, those of `general` 0 to 3.
"""
import pathlib
import re

import runs

READERS = "D1,D2,D3,D4,D5,X2,X6,X8,X11,general"
TOP = 10
QUOTE_CHARS = 600
REASON_CHARS = 1000


def plain(text, limit):
    """One line in which nothing is markup."""
    line = " ".join((text or "").split())
    line = line if len(line) <= limit else line[:limit].rstrip() + "…"
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", line)


def quote(story):
    summary = story.get("summary") or {}
    return summary.get("one_liner") or story.get("excerpt") or ""


def graded(grade, story):
    return f"{grade[story]:g}" if story in grade else "ungraded"


def page(bench, reader):
    run, grades = bench.run(bench.interests(reader)), bench.grades(reader)
    grade, least = bench.of_stories(run, grades), bench.relevant_from(reader)
    order = [story for story in run.shown() if story in grade]
    relevant = [story for story, of in grade.items() if of >= least]
    yield f"## {reader}: {plain(bench.interests(reader), REASON_CHARS) or 'no interests'}"
    ndcg, p5, p10 = bench.ndcg(order, grade), bench.precision(order, grade, 5, least), bench.precision(order, grade, 10, least)
    yield (f"nDCG@10 {runs.cell(ndcg)}, P@5 {runs.cell(p5)}, P@10 {runs.cell(p10)}; {len(relevant)} of {len(grade)} stories are relevant "
           f"(grade {least:g} or more).")
    shown = run.digest["stories"]
    for story in shown[:TOP]:
        name = str(story["cluster_id"])
        feeds = len({source["name"] for source in story["sources"]})
        yield (f"{story['rank']}. **{plain(story['title'], QUOTE_CHARS)}**  \n"
               f"   grade **{graded(grade, name)}** · Aha {story['aha_score']} · final {story['final_score']:.3f} · {story['label']} · {feeds} "
               f"source{'' if feeds == 1 else 's'}  \n"
               f"   why: {plain(story['reason'], REASON_CHARS)}  \n"
               f"   quote: {plain(quote(story), QUOTE_CHARS) or '(none)'}")
    place = {story: rank for rank, story in enumerate(run.shown(), 1)}
    missed = sorted((story for story in relevant if place.get(story, TOP + 1) > TOP), key=lambda story: (-grade[story], -run.newest(story)))
    if missed:
        yield "Relevant, but not among the ten:"
        yield "\n".join(f"- grade {grade[story]:g}, {f'rank {place[story]}' if story in place else 'not shown'}: "
                        f"{plain(run.stories[story][0].title, QUOTE_CHARS)}" for story in missed)


def main():
    parser = runs.arguments(__doc__)
    parser.add_argument("--out", required=True, help="the folder to write digests.md into")
    parser.add_argument("--readers", default=READERS, help=f"names, separated by commas; {READERS} by default")
    options = parser.parse_args()
    bench = runs.bench(options)
    blocks = ["# The first ten stories of each digest"]
    for reader in bench.readers(options.readers):
        blocks.extend(page(bench, reader))
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "digests.md").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    print(out / "digests.md")


if __name__ == "__main__":
    main()
