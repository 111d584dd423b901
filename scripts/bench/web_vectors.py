#!/usr/bin/env python3
"""Gives every item of a bench database a made-up vector in the space of the weights that its run used, so that searches by meaning compare with all.

usage: web_vectors.py DATABASE
"""
import random
import sqlite3
import struct
import sys

database = sqlite3.connect(sys.argv[1])
row = database.execute("SELECT space, dimensions FROM embeddings WHERE dimensions IS NOT NULL LIMIT 1").fetchone()
if row is None:
    sys.exit("web_vectors: the run made no dense vectors; is AHA_EMBED_MODEL_DIR a folder of weights?")
space, dimensions = row
generator = random.Random(1)
# A vector is a window of one long row of numbers: different for each item, and made in seconds.
numbers = struct.pack(f"<{dimensions * 40}f", *(generator.gauss(0, 1) for _ in range(dimensions * 40)))
items = [item for (item,) in database.execute("SELECT id FROM content_items")]


def vectors():
    for place, item in enumerate(items):
        begin = 4 * (place % (39 * dimensions))
        yield item, space, "made up", dimensions, numbers[begin:begin + 4 * dimensions]


database.executemany("INSERT OR IGNORE INTO embeddings (item_id, space, content_hash, dimensions, vector) VALUES (?, ?, ?, ?, ?)", vectors())
database.commit()
print(f"{len(items)} vectors of {dimensions} numbers", file=sys.stderr)
