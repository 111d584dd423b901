"""Asks models of a catalogue through `aha-radar llm ask`, and what the ledger says of each. Used by the other scripts of this folder."""
import json
import os
import subprocess

HEAD = ["model", "asked", "exit", "ledger", "tokens in", "tokens out", "micro-credits", "said"]
MAX_SAID = 72


class Asked:
    """One question: the exit code, what was printed, and the rows that the ledger has for it, oldest first."""

    def __init__(self, model, how, process, rows):
        self.model, self.how, self.exit = model, how, process.returncode
        self.said, self.error = process.stdout.strip(), process.stderr.strip()
        self.rows = rows

    @property
    def name(self):
        return f"{self.model} {self.how}"

    @property
    def states(self):
        return [row["state"] + (f" ({row['error_kind']})" if row["error_kind"] else "") for row in self.rows]

    def is_answer(self):
        """An answer with a row that was settled, and with the tokens that the server told."""
        last = self.rows[-1] if self.rows else {}
        return self.exit == 0 and self.said != "" and last.get("state") == "ok" and bool(last["input_tokens"] and last["output_tokens"])

    def line(self):
        why = self.rows[-1]["error"] if self.rows else self.error
        said = " ".join((self.said if self.exit == 0 else why or "").split())
        total = lambda name: sum(row[name] or 0 for row in self.rows)
        return [
            self.model, self.how, self.exit, ", ".join(self.states) or "no row", total("input_tokens"), total("output_tokens"),
            total("cost_microcredits"), said if len(said) <= MAX_SAID else said[: MAX_SAID - 1] + "…",
        ]


class Radar:
    """The program in a folder of its own, with an empty environment, so that nobody's .env or settings take part."""

    def __init__(self, binary, folder, catalogue, **variables):
        self.binary, self.folder, self.seen = binary, folder, set()
        path = os.path.join(folder, "models.yaml")
        with open(path, "w") as file:
            file.write(catalogue)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "AHA_LLM_CONFIG": path,
            "DATABASE_URL": f"sqlite://{folder}/asked.db", **variables,
        }

    def run(self, *arguments, **variables):
        return subprocess.run(
            [self.binary, *arguments], cwd=self.folder, env={**self.environment, **variables}, capture_output=True, text=True,
            timeout=900, stdin=subprocess.DEVNULL,
        )

    def ask(self, model, how, question, *options):
        process = self.run("llm", "ask", "--model", model, "--attempts", "1", *options, question)
        return Asked(model, how, process, self.new_rows())

    def new_rows(self):
        listed = self.run("calls", "--json", "--limit", "500")
        rows = [row for row in json.loads(listed.stdout or "[]") if row["id"] not in self.seen]
        self.seen.update(row["id"] for row in rows)
        return rows[::-1]


def failing(some, holds):
    """For a check: those that do not hold, or how many were tried; and whether all hold."""
    bad = [one.name for one in some if not holds(one)]
    return ", ".join(bad) if bad else f"all {len(some)}", not bad
