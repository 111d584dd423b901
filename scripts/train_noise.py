"""Trains the model that `src/noise` scores headlines with.

    python3 -m venv target/noise-venv && target/noise-venv/bin/pip install numpy scipy scikit-learn
    target/noise-venv/bin/python scripts/train_noise.py HEADLINES.tsv [--write]

HEADLINES.tsv has lines of 1 or 0 (clickbait or news), a tab and a headline; the hand-made headlines of
scripts/data/noise_headlines.tsv (promotions, job ads, baits and lists, plain ones) and others made by scripts/noise_grammar.py are
added. Every tenth headline of the first file is kept out of training; the hand-made ones are scored by five folds. `--write` stores the weights in models/noise_v1.bin and
scores to be pinned in models/noise_v1_pinned.tsv; the arithmetic is that of src/noise/mod.rs, to the bit but for the last exponential.

The file of weights: `NOISE1` and two zero bytes; then, little-endian, the bias and a scale a family (five 32-bit floats); then a signed
byte a slot, BUCKETS of them for the family of words, of pairs, of characters, and 16 for the forms.
"""

import argparse
import math
import pathlib
import struct
import sys

import numpy
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import noise_grammar

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUCKETS = 1 << 16
FAMILIES = ["word", "pair", "characters", "form"]
SIZES = [BUCKETS, BUCKETS, BUCKETS, 16]
OFFSETS = [0, BUCKETS, 2 * BUCKETS, 3 * BUCKETS]
WIDTH = sum(SIZES)
MAX_CHARACTERS = 300
# The hand-made headlines are few: each counts as much as this many others.
HAND_MADE_WEIGHT = 4.0
# Headlines by patterns, which are alike: each counts for less.
GENERATED = {"job": 5000, "promotion": 2500, "plain": 8000}
GENERATED_WEIGHT = 0.3


def is_word_character(character):
    code = ord(character)
    if code < 128:
        return character.isalnum()
    return code >= 0xC0 and code not in (0xD7, 0xF7) and not (
        0x2000 <= code <= 0x2BFF or 0x3000 <= code <= 0x303F or 0xFF00 <= code <= 0xFF0F or code >= 0x1F000)


def words_of(headline):
    """Lower case, digits as 0, apostrophes left out; signs of percent and money are words."""
    words, word = [], ""
    for character in headline[:MAX_CHARACTERS].lower():
        if is_word_character(character):
            word += "0" if character in "0123456789" else character
        elif character not in "'’‘":
            if word:
                words.append(word)
            word = ""
            if character == "%":
                words.append("%")
            elif character in "$€£":
                words.append("$")
    if word:
        words.append(word)
    return words


def bucket(text):
    """FNV-1a of 32 bits, folded."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return (value ^ (value >> 16)) % BUCKETS


def forms_of(words):
    """What a headline is like: how long, how it opens, how long its words are."""
    count = len(words)
    opens_with_number = bool(words) and set(words[0]) == {"0"}
    short = sum(len(word) <= 3 for word in words)
    found = [min(count // 3, 6)]
    if opens_with_number and len(words[0]) <= 2:
        found.append(8)
    if opens_with_number and len(words[0]) > 2:
        found.append(9)
    found.append(10 + min(4 * short // max(count, 1), 3))
    return found


def features_of(headline):
    """For each family the slots that the headline fills, without repetition."""
    words = words_of(headline)
    marked = ["<"] + words + [">"]
    pairs = [" ".join(marked[at:at + 2]) for at in range(len(marked) - 1)]
    pairs += [" ".join(marked[at:at + 3]) for at in range(len(marked) - 2)]
    characters = []
    for word in words:
        framed = f"<{word}>"
        for length in (3, 4, 5):
            characters += [framed[at:at + length] for at in range(len(framed) - length + 1)]
    slots = [{bucket(text) for text in texts} for texts in (words, pairs, characters)]
    return [*slots, set(forms_of(words))]


def row_of(headline):
    columns, values = [], []
    for family, slots in enumerate(features_of(headline)):
        columns += [OFFSETS[family] + slot for slot in sorted(slots)]
        values += [1.0 / math.sqrt(len(slots))] * len(slots)
    return columns, values


class Examples:
    """Headlines with their labels and weights, as rows of one matrix."""

    def __init__(self, shared, made):
        generated = [(kind, text) for kind, count in GENERATED.items() for text in noise_grammar.headlines(kind, count, 1)]
        self.shared, self.made = range(len(shared)), range(len(shared), len(shared) + len(made))
        self.generated = range(len(shared) + len(made), len(shared) + len(made) + len(generated))
        pairs = shared + made + generated
        self.labels = numpy.array([label not in ("0", "plain") for label, _ in pairs])
        weights = [1.0] * len(shared) + [HAND_MADE_WEIGHT] * len(made) + [GENERATED_WEIGHT] * len(generated)
        self.weights = numpy.array(weights)
        rows = [row_of(text) for _, text in pairs]
        ends = numpy.cumsum([0] + [len(columns) for columns, _ in rows])
        columns, values = (numpy.array([x for row in rows for x in row[part]]) for part in (0, 1))
        self.matrix = scipy.sparse.csr_matrix((values, columns, ends), shape=(len(rows), WIDTH))

    def fit(self, strength, without=()):
        """A model of all but the rows `without`."""
        rows = sorted(set(range(len(self.labels))) - set(without))
        seen = self.matrix[rows]
        rarity = numpy.log((len(rows) + 1) / (seen.getnnz(axis=0) + 1)) / 6.0
        model = LogisticRegression(C=strength, solver="liblinear", random_state=1)
        model.fit(seen @ scipy.sparse.diags(rarity), self.labels[rows], sample_weight=self.weights[rows])
        return quantised(model.coef_[0] * rarity, model.intercept_[0])


def quantised(weights, bias):
    """Bias, scales and signed bytes: each family by its largest weight. How rare a feature is has gone into its weight."""
    scales, parts = [], []
    for offset, size in zip(OFFSETS, SIZES):
        part = weights[offset:offset + size]
        scale = float(numpy.float32(max(abs(part).max(), 1e-9) / 127.0))
        scales.append(scale)
        parts.append(numpy.rint(part / scale).astype(numpy.int8))
    return float(numpy.float32(bias)), scales, parts


def score(model, headline):
    bias, scales, parts = model
    total = bias
    for slots, scale, part in zip(features_of(headline), scales, parts):
        if slots:
            total += scale * float(sum(int(part[slot]) for slot in slots)) / math.sqrt(len(slots))
    return 1.0 / (1.0 + math.exp(-total))


def read_pairs(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t", 1)) for line in lines if "\t" in line]


def area(model, noisy, plain):
    scores = [score(model, headline) for headline in noisy + plain]
    return roc_auc_score([1] * len(noisy) + [0] * len(plain), scores)


def report_shared(examples, shared, strength):
    kept = shared[::10]
    model = examples.fit(strength, without=examples.shared[::10])
    noisy = [headline for label, headline in kept if label == "1"]
    plain = [headline for label, headline in kept if label == "0"]
    print(f"shared headlines kept out: {len(kept)}, AUC {area(model, noisy, plain):.4f}")
    louder = [headline.upper() for headline in noisy], [headline.lower() for headline in plain]
    print(f"the same in other casing: AUC {area(model, *louder):.4f}")


def report_made(examples, made, strength):
    """Five folds: each headline is scored by a model that has not seen it."""
    scores = {}
    for fold in range(5):
        model = examples.fit(strength, without=examples.made[fold::5])
        scores |= {pair: score(model, pair[1]) for pair in made[fold::5]}
    plain = [value for (kind, _), value in scores.items() if kind == "plain"]
    for kinds in (["promotion"], ["job"], ["promotion", "job"], ["clickbait"]):
        noisy = [value for (kind, _), value in scores.items() if kind in kinds]
        value = roc_auc_score([1] * len(noisy) + [0] * len(plain), noisy + plain)
        print(f"{' and '.join(kinds)}: {len(noisy)} against {len(plain)} plain, AUC {value:.4f}")
    for limit in (0.5, 0.8, 0.9, 0.95, 0.98):
        caught = sum(value >= limit for (kind, _), value in scores.items() if kind != "plain")
        wrong = sum(value >= limit for value in plain)
        print(f"at {limit}: {caught} of {len(scores) - len(plain)} noise, {wrong} of {len(plain)} plain")
    return scores


PINNED = [
    "17 things only ferry passengers know", "Ferry loses power off Skerrow, 214 aboard", "We're hiring: senior Rust engineer",
    "Use code KETTLE20 for 20% off", "Show HN: a tide clock", "", "日本の人口が14年連続で減少", "Größte Fähre Europas läuft aus",
    "You Won’t Believe What These 9 Cats Did", "  $1,200 — for a toaster?!  ",
]


def write(model):
    bias, scales, parts = model
    target = ROOT / "models"
    packed = b"NOISE1\0\0" + struct.pack("<5f", bias, *scales) + b"".join(part.tobytes() for part in parts)
    (target / "noise_v1.bin").write_bytes(packed)
    pinned = "".join(f"{score(model, headline):.9f}\t{headline}\n" for headline in PINNED)
    (target / "noise_v1_pinned.tsv").write_text(pinned, encoding="utf-8")
    print(f"{len(packed)} bytes written")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headlines")
    parser.add_argument("--strength", type=float, default=10.0, help="inverse of the regularisation")
    parser.add_argument("--show", action="store_true", help="print the hand-made headlines with their scores")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    shared = read_pairs(arguments.headlines)
    made = read_pairs(ROOT / "scripts" / "data" / "noise_headlines.tsv")
    examples = Examples(shared, made)
    report_shared(examples, shared, arguments.strength)
    scores = report_made(examples, made, arguments.strength)
    if arguments.show:
        for pair, value in sorted(scores.items(), key=lambda entry: entry[1]):
            print(f"{value:.3f}\t{pair[0]}\t{pair[1]}")
    if arguments.write:
        write(examples.fit(arguments.strength))
    return 0


if __name__ == "__main__":
    sys.exit(main())
