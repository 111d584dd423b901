"""What the scripts of this folder print: a table of what was found, then each check with its result."""
import sys


def table(head, rows):
    rows = [head] + [[str(value) if value is not None else "-" for value in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for row in rows:
        print("  ".join(value.ljust(width) for value, width in zip(row, widths)).rstrip())


def judge(checks):
    """Prints checks, each a name, what was found and whether it holds, and ends with 0 when all hold."""
    print()
    table(["check", "result", "found"], [[name, "ok" if holds else "FAILED", found] for name, found, holds in checks])
    sys.exit(0 if all(holds for _, _, holds in checks) else 1)
