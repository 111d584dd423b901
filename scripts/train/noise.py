"""Trains the model that `crates/analysis/src/noise` scores headlines with, and calibrates its probabilities.

    python3 -m venv target/noise-venv && target/noise-venv/bin/pip install numpy scipy scikit-learn
    OMP_NUM_THREADS=1 target/noise-venv/bin/python scripts/train/noise.py HEADLINES.tsv [--check LABELLED.tsv]... [--write]

HEADLINES.tsv has lines of 1 or 0 (clickbait or news), a tab and a headline. The hand-written headlines of scripts/train/data/noise_headlines.tsv
(promotions, job ads, baits and lists, and plain ones of many genres that look like them) and others made by scripts/train/noise_grammar.py are added.
The first two are scored by five folds: each headline by a model that was not trained on it. From these scores come the calibration
(Platt scaling, for a feed of which PRIOR is noise) and all figures printed; those in the reliability table come from a calibration that
has not seen the fold either. `--check` prints what the model says about headlines labelled elsewhere (1, 0 or ?, a tab, a headline); nothing is
trained or chosen by them. `--write` stores the weights in models/noise_v2.bin and scores to be pinned in models/noise_v2_pinned.tsv; the
arithmetic is that of crates/analysis/src/noise/mod.rs, to the bit but for the last exponential.

The file of weights: `NOISE2` and two zero bytes; then, little-endian, the bias and a scale a family (five 32-bit floats), which the
calibration has gone into; then a signed byte a slot, BUCKETS of them for the family of words, of pairs, of characters, and 16 for the forms.
"""

import argparse
import math
import pathlib
import struct
import sys

import numpy
import scipy.optimize
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import noise_grammar

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUCKETS = 1 << 16
FAMILIES = ["word", "pair", "characters", "form"]
SIZES = [BUCKETS, BUCKETS, BUCKETS, 16]
OFFSETS = [0, BUCKETS, 2 * BUCKETS, 3 * BUCKETS]
WIDTH = sum(SIZES)
MAX_CHARACTERS = 300
# The hand-made headlines are few: each counts as much as this many others.
HAND_MADE_WEIGHT = 4.0
# Headlines by patterns, which are alike: each counts for less.
GENERATED = {"job": 5000, "promotion": 3500, "clickbait": 3000, "plain": 12000}
GENERATED_WEIGHT = 0.3
# The labels of HEADLINES.tsv are those of the publisher: of 109 of its baits that open with no number, 22 were ordinary
# stories. So this share of each counts as plain, and its tone alone makes the model sure of nothing.
SHARED_BAIT_WEIGHT = 0.5
MISLABELLED = 0.2
# The share of noise that probabilities are calibrated for: of 271 titles of eleven feeds, three blogs and
# a newsletter, none of them trained on, 15 were noise.
PRIOR = 0.05
FOLDS = 5
LIMITS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)

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
        if not slots:
            continue
        columns += [OFFSETS[family] + slot for slot in sorted(slots)]
        values += [1.0 / math.sqrt(len(slots))] * len(slots)
    return columns, values


class Examples:
    """Headlines with their kinds, their chance of being noise and their weights, as rows of one matrix."""

    def __init__(self, shared, made):
        generated = [(kind, text) for kind, count in GENERATED.items() for text in noise_grammar.headlines(kind, count, 1)]
        self.labelled = len(shared) + len(made)
        self.pairs = shared + made + generated
        self.kinds = numpy.array([kind for kind, _ in self.pairs])
        self.is_noise = ~numpy.isin(self.kinds, ["0", "plain"])
        self.chances = numpy.array([chance_of(*pair) for pair in self.pairs])
        weights = [SHARED_BAIT_WEIGHT if kind == "1" else 1.0 for kind, _ in shared]
        weights += [HAND_MADE_WEIGHT] * len(made) + [GENERATED_WEIGHT] * len(generated)
        self.weights = numpy.array(weights)
        self.matrix = matrix_of([text for _, text in self.pairs])

    def fit(self, without=()):
        """A model of all but the rows `without`. A row that is noise by some chance counts twice, as noise and as plain."""
        rows = numpy.setdiff1d(numpy.arange(len(self.pairs)), without)
        seen = self.matrix[rows]
        rarity = numpy.log((len(rows) + 1) / (seen.getnnz(axis=0) + 1)) / 6.0
        seen = seen @ scipy.sparse.diags(rarity)
        doubtful = (self.chances[rows] > 0.0) & (self.chances[rows] < 1.0)
        main = numpy.where(doubtful, self.chances[rows], 1.0) * self.weights[rows]
        rest = ((1.0 - self.chances[rows]) * self.weights[rows])[doubtful]
        model = LogisticRegression(C=10.0, solver="liblinear", random_state=1)
        model.fit(scipy.sparse.vstack([seen, seen[numpy.where(doubtful)[0]]]), numpy.concatenate([self.is_noise[rows], numpy.zeros(len(rest), bool)]),
                  sample_weight=numpy.concatenate([main, rest]))
        return quantised(model.coef_[0] * rarity, model.intercept_[0])

    def scores_by_folds(self):
        """The sum before the exponential of each labelled headline, by a model that was not trained on it."""
        totals = numpy.zeros(self.labelled)
        for fold in range(FOLDS):
            kept = numpy.arange(fold, self.labelled, FOLDS)
            totals[kept] = totals_of(self.fit(without=kept), self.matrix[kept])
        return totals

    def calibration_weights(self, rows):
        """Noise weighs PRIOR: two thirds of it by hand, one third baits of the shared set. Plain ones: half by hand, half news."""
        kinds, chances = self.kinds[rows], self.chances[rows]
        bait, by_hand = kinds == "1", numpy.isin(kinds, ["promotion", "job", "clickbait"])
        weights = numpy.zeros(len(rows))
        weights[by_hand] = PRIOR * 2 / 3 / by_hand.sum()
        weights[bait] = PRIOR / 3 / chances[bait].sum()
        left = 1.0 - PRIOR - (weights[bait] * (1.0 - chances[bait])).sum()
        for kind in ("plain", "0"):
            weights[kinds == kind] = left / 2 / (kinds == kind).sum()
        return weights


def chance_of(kind, headline):
    if kind == "1" and not headline[:1].isdigit():
        return 1.0 - MISLABELLED
    return 0.0 if kind in ("0", "plain") else 1.0


def matrix_of(headlines):
    rows = [row_of(headline) for headline in headlines]
    ends = numpy.cumsum([0] + [len(columns) for columns, _ in rows])
    columns, values = (numpy.array([x for row in rows for x in row[part]]) for part in (0, 1))
    return scipy.sparse.csr_matrix((values, columns, ends), shape=(len(rows), WIDTH))


def quantised(weights, bias):
    """Bias, scales and signed bytes: each family by its largest weight. How rare a feature is has gone into its weight."""
    scales, parts = [], []
    for offset, size in zip(OFFSETS, SIZES):
        part = weights[offset:offset + size]
        scale = float(numpy.float32(max(abs(part).max(), 1e-9) / 127.0))
        scales.append(scale)
        parts.append(numpy.rint(part / scale).astype(numpy.int8))
    return float(numpy.float32(bias)), scales, parts


def totals_of(model, matrix):
    bias, scales, parts = model
    return matrix @ numpy.concatenate([scale * part for scale, part in zip(scales, parts)]) + bias


def platt(totals, chances, weights):
    """Slope and offset by which `totals` become log odds (Platt 1999), by the likelihood of the weighted labels."""
    def loss(line):
        odds = line[0] * totals + line[1]
        return (weights * (numpy.logaddexp(0.0, odds) - chances * odds)).sum()
    return scipy.optimize.minimize(loss, [1.0, 0.0]).x


def calibrated(model, line):
    """The line's slope goes into the scales, its offset into the bias: the arithmetic stays the same."""
    bias, scales, parts = model
    return float(numpy.float32(line[0] * bias + line[1])), [float(numpy.float32(line[0] * scale)) for scale in scales], parts


def probability(odds):
    return 1.0 / (1.0 + numpy.exp(-odds))


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


def area(noisy, plain):
    return roc_auc_score([1] * len(noisy) + [0] * len(plain), numpy.concatenate([noisy, plain]))


def probabilities_by_folds(examples, totals):
    """Each labelled headline's, by a model and a calibration that have not seen it."""
    found = numpy.zeros(len(totals))
    every = numpy.arange(len(totals))
    for fold in range(FOLDS):
        rows = every[every % FOLDS != fold]
        slope, offset = platt(totals[rows], examples.chances[rows], examples.calibration_weights(rows))
        found[fold::FOLDS] = probability(slope * totals[fold::FOLDS] + offset)
    return found


def report_areas(examples, found):
    kinds = examples.kinds[:len(found)]
    print(f"shared headlines: {sum(kinds == '1')} baits against {sum(kinds == '0')} news, AUC {area(found[kinds == '1'], found[kinds == '0']):.4f}")
    plain = found[kinds == "plain"]
    for kind in ("promotion", "job", "clickbait"):
        print(f"{kind} by hand: {sum(kinds == kind)} against {len(plain)} plain, AUC {area(found[kinds == kind], plain):.4f}")


def report_reliability(examples, found):
    rows = numpy.arange(len(found))
    weights, chances = examples.calibration_weights(rows), examples.chances[rows]
    print("\npredicted  headlines  mean predicted  observed share of noise")
    for low, high in zip((0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95), (0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.1)):
        within = (found >= low) & (found < high)
        mean, observed = ((weights * x)[within].sum() / weights[within].sum() for x in (found, chances))
        print(f"{low:.2f}-{min(high, 1):.2f}  {within.sum():9}  {mean:14.3f}  {observed:8.3f}")


def report_limits(examples, found):
    kinds = examples.kinds[:len(found)]
    print("\nat      " + "  ".join(f"{limit:6}" for limit in LIMITS))
    for kind, name in {"plain": "plain by hand", "0": "news", "promotion": "promotions", "job": "job ads", "clickbait": "baits by hand", "1": "shared baits"}.items():
        counts = [(found[kinds == kind] >= limit).sum() for limit in LIMITS]
        print(f"{name}, of {sum(kinds == kind)}: " + "  ".join(str(count) for count in counts))


def report_check(model, path):
    pairs = [(label, headline, score(model, headline)) for label, headline in read_pairs(path)]
    by_label = {label: numpy.array([value for kind, _, value in pairs if kind == label]) for label in "01?"}
    print(f"\n{path}: {len(pairs)} headlines, {len(by_label['1'])} noise, {len(by_label['?'])} doubtful")
    if len(by_label["1"]):
        print(f"AUC {area(by_label['1'], by_label['0']):.4f}; mean predicted {numpy.mean([value for _, _, value in pairs]):.4f}")
    for limit in LIMITS:
        print(f"at {limit}: " + ", ".join(f"{(values >= limit).sum()} labelled {label}" for label, values in by_label.items()))


PINNED = [
    "17 things only ferry passengers know", "Ferry loses power off Skerrow, 214 aboard", "We're hiring: senior Rust engineer",
    "Use code KETTLE20 for 20% off", "Show HN: a tide clock", "", "日本の人口が14年連続で減少", "Größte Fähre Europas läuft aus",
    "You Won’t Believe What These 9 Cats Did", "  $1,200 — for a toaster?!  ",
]


def write(model):
    bias, scales, parts = model
    target = ROOT / "models"
    packed = b"NOISE2\0\0" + struct.pack("<5f", bias, *scales) + b"".join(part.tobytes() for part in parts)
    (target / "noise_v2.bin").write_bytes(packed)
    pinned = "".join(f"{score(model, headline):.9f}\t{headline}\n" for headline in PINNED)
    (target / "noise_v2_pinned.tsv").write_text(pinned, encoding="utf-8")
    print(f"{len(packed)} bytes written")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headlines")
    parser.add_argument("--check", action="append", default=[], help="labelled headlines to report on, trained on by nothing")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    examples = Examples(read_pairs(arguments.headlines), read_pairs(ROOT / "scripts" / "train" / "data" / "noise_headlines.tsv"))
    totals = examples.scores_by_folds()
    found = probabilities_by_folds(examples, totals)
    report_areas(examples, found)
    report_reliability(examples, found)
    report_limits(examples, found)
    rows = numpy.arange(examples.labelled)
    line = platt(totals, examples.chances[rows], examples.calibration_weights(rows))
    print(f"\nlog odds = {line[0]:.4f} x total + {line[1]:.4f}")
    model = calibrated(examples.fit(), line)
    for path in arguments.check:
        report_check(model, path)
    if arguments.write:
        write(model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
