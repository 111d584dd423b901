"""Gives each request a key of its own: a repetition is answered from what was stored, also about a resource that was deleted since."""
import itertools

import schemathesis

numbers = itertools.count(1)


@schemathesis.hook
def before_call(_context, case, _kwargs):
    key = case.headers.get("Idempotency-Key") if case.headers else None
    # Keys that are not allowed stay, to be refused.
    if isinstance(key, str) and 1 <= len(key) <= 200 and key.isascii() and key.isprintable():
        case.headers["Idempotency-Key"] = f"request {next(numbers)}"
