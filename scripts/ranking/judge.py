#!/usr/bin/env python3
"""What the ranking makes of a perfect judge: how far the order follows its scores, and whether it is asked about the right stories.

usage: judge.py --binary PATH --labels dev.json --feeds FOLDER --tools FOLDER [--readers D1,D2] [--tiers low,normal] [--share 0.33] [--repeats 3] [--json]

In: the program, graded items, their feeds. A mock of OpenAI's Responses API on loopback answers each triage request with a score
that follows from the grade of the story's best member (grade 0: 12, 0.5: 40, 1: 60, 1.5: 70, 2: 85; `general`, graded 0 to 3: 12, 40, 65, 85, and
the whole number between for halves). Vectors are answered with 404, all other tasks with the smallest valid answer.

Out, for each reader and tier: nDCG@10 and P@5 of the digest (as in rank_score.py); `crossed`, how many of the first ten stand above
a story that the judge put into a higher band; `plan`, the candidates by src/pipeline/run_limits.rs, at most the stories of the run; `asked`, the
stories the judge was asked about; `recall`, the share of the run's relevant stories (grade 1 or more; `general` 2) that are among them.
With --share S further runs have a cap (AHA_BUDGET_RUN_CREDITS) that pays for about S of the plan: the columns after `|`. An order by
chance would have a recall equal to asked / plan there. They are means of --repeats runs that differ in ids alone, since many stories
may be of equal promise to the program and ids break ties.
Requests that cannot be read, unknown stories and failed calls are listed at the end; the exit code is then 1.
"""
import json
import math

import runs
from responses_mock import OUTPUT_TOKENS_PER_STORY, Catalogue, Judge

SCORES = {0.0: 12, 0.5: 40, 1.0: 60, 1.5: 70, 2.0: 85}
SCORES_GENERAL = {0.0: 12, 1.0: 40, 2.0: 65, 3.0: 85}

TIERS = {"low": (30, 10, 25, 300), "normal": (70, 20, 50, 700), "high": (200, 60, 100, 2000)}
"""Base, per source, least and most candidates: src/pipeline/run_limits.rs."""

CREDITS_PER_1K_OUTPUT_TOKENS = 1
MARGIN_CREDITS = 0.1
"""The last call within the cap is reserved at 250 tokens a story, 10 above what it then costs; a batch has 10 stories."""


def score_of(reader):
    table = SCORES_GENERAL if reader == "general" else SCORES

    def score(grade):
        lower = max(known for known in table if known <= grade)
        upper = min((known for known in table if known >= grade), default=lower)
        share = (grade - lower) / (upper - lower) if upper > lower else 0.0
        return math.floor(table[lower] + share * (table[upper] - table[lower]))

    return score


def candidates(run):
    base, per_source, least, most = TIERS[run.settings["tier"]]
    wanted = (base + per_source * run.sources) * (0.5 + 1.5 * run.settings["depth"] / 100)
    return min(int(min(max(math.floor(wanted + 0.5), least), most)), run.considered)


def settings(judge, tier, cap=None):
    """The environment of a run; without a cap the model is free."""
    chosen = {
        "OPENAI_API_KEY": "x", "OPENAI_BASE_URL": judge.base_url, "OPENAI_MODEL": "mock", "OPENAI_TRIAGE_MODEL": "mock", "AHA_BUDGET_TIER": tier,
        "OPENAI_CREDITS_PER_1K_INPUT_TOKENS": "0", "OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS": "0",
    }
    if cap is not None:
        chosen |= {"OPENAI_TRIAGE_CREDITS_PER_1K_INPUT_TOKENS": "0", "AHA_BUDGET_RUN_CREDITS": f"{cap:.6f}",
                   "OPENAI_TRIAGE_CREDITS_PER_1K_OUTPUT_TOKENS": str(CREDITS_PER_1K_OUTPUT_TOKENS)}
    return chosen


def measure(bench, judge, reader, tier, cap=None, series=0):
    grades = bench.grades(reader)
    judge.begin(f"{reader}, {tier}{'' if cap is None else ', capped'}", grades, score_of(reader))
    run = bench.run(bench.interests(reader), settings(judge, tier, cap), (0, 3) if cap is None else (0, 3, 4), series)
    for failure, count in run.failed_calls.items():
        if not failure.startswith("embed"):
            judge.problem(f"{count} calls failed: {failure}")
    grade, least = bench.of_stories(run, grades), bench.relevant_from(reader)
    asked = {run.items[key].story for keys in judge.asked for key in keys if key in run.items}
    relevant = {story for story, of in grade.items() if of >= least}
    order = [story for story in run.shown() if story in grade]
    plan = candidates(run)
    return {
        "ndcg10": bench.ndcg(order, grade), "p5": bench.precision(order, grade, 5, least), "stories": len(grade), "relevant": len(relevant),
        "crossed": crossed(run.digest["stories"]), "plan": plan, "asked": len(asked),
        "asked_of_plan": round(len(asked) / plan, 4), "relevant_asked": len(relevant & asked),
        "recall": round(len(relevant & asked) / len(relevant), 4) if relevant else None, "exit_code": run.exit_code, "calls": dict(judge.calls),
    }


def crossed(shown):
    """Stories among the first ten that stand above one of a higher band (0-20, 21-50, 51-80, 81-100) of the judge's score."""
    bands = [sum(story["aha_score"] > limit for limit in (20, 50, 80)) for story in shown if story["aha_score"] is not None]
    return sum(any(later > band for later in bands[place + 1:]) for place, band in enumerate(bands[:10]))


def cap_for(share, plan):
    return share * plan * OUTPUT_TOKENS_PER_STORY / 1000 * CREDITS_PER_1K_OUTPUT_TOKENS + MARGIN_CREDITS


def capped(bench, judge, reader, tier, cap, repeats):
    """The means of several runs under a cap, and each run's figures."""
    each = [measure(bench, judge, reader, tier, cap, series) for series in range(repeats)]
    return {name: runs.mean([of[name] for of in each]) for name in CAPPED.values()} | {"runs": each}


COLUMNS = {"relevant": "relevant", "nDCG@10": "ndcg10", "P@5": "p5", "crossed": "crossed", "plan": "plan", "asked": "asked",
           "asked/plan": "asked_of_plan", "recall": "recall"}
CAPPED = {"asked": "asked", "asked/plan": "asked_of_plan", "recall": "recall", "nDCG@10": "ndcg10", "P@5": "p5"}


def means(rows, of):
    columns = COLUMNS if of == "full" else CAPPED
    return {name: runs.mean([row[of][name] for row in rows]) for name in columns.values() if name != "relevant"}


def main():
    parser = runs.arguments(__doc__)
    parser.add_argument("--readers", help="names, separated by commas; all by default")
    parser.add_argument("--tiers", default="normal", help="low, normal, high, separated by commas")
    parser.add_argument("--share", type=float, help="of the plan that a second run's cap pays for")
    parser.add_argument("--repeats", type=int, default=3, help="runs with such a cap; %(default)s by default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tiers = options.tiers.split(",")
    if any(tier not in TIERS for tier in tiers):
        parser.error("--tiers takes low, normal and high")
    if options.share is not None and not 0 < options.share <= 1:
        parser.error("--share takes a number above 0, to 1")
    if options.repeats < 1:
        parser.error("--repeats takes a number from 1")
    bench = runs.bench(options)
    readers = bench.readers(options.readers)
    judge = Judge(Catalogue(bench.run("").items.values()))
    rows = []
    for reader in readers:
        for tier in tiers:
            row = {"reader": reader, "tier": tier, "full": measure(bench, judge, reader, tier)}
            if options.share is not None:
                cap = cap_for(options.share, row["full"]["plan"])
                row["capped"] = capped(bench, judge, reader, tier, cap, options.repeats)
            rows.append(row)
    parts = ["full"] + ["capped"] * (options.share is not None)
    total = {tier: {part: means([row for row in rows if row["tier"] == tier and (row["reader"] != "general" or readers == ["general"])], part)
                    for part in parts} for tier in tiers}
    if options.json:
        print(json.dumps({"share": options.share, "rows": rows, "mean_with_interests": total, "problems": judge.problems}))
    else:
        show(rows, total, parts)
        print(f"\n{len(judge.problems)} problems with requests")
        for problem in judge.problems[:40]:
            print(f"- {problem}")
    raise SystemExit(1 if judge.problems else 0)


def show(rows, total, parts):
    line = lambda of: [of["full"].get(name) for name in COLUMNS.values()] + (
        ["|", *(of["capped"].get(name) for name in CAPPED.values())] if "capped" in parts else [])
    head = ["reader, tier", *COLUMNS] + (["|", *CAPPED] if "capped" in parts else [])
    runs.table([head, *([f"{row['reader']}, {row['tier']}", *line(row)] for row in rows),
                *([f"mean with interests, {tier}", *line(of)] for tier, of in total.items())])


if __name__ == "__main__":
    main()
