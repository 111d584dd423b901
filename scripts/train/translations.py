"""Adds to models/translations_en_v1.tsv, the translations that `crates/analysis/src/relevance/translations.rs` knows, what it lacks of two
lists, and sorts it.

    python3 scripts/train/translations.py

The lists were written for this project from general knowledge of the languages, and include the words that a test of other readers
missed. `data/peoples.tsv` has the peoples of models/places_v1.tsv and some without a state: English, German adjective, German person (and
its plural), French and Spanish (masculine, and feminine if it is no regular one; separated by `/`). `data/vocabulary.tsv` has words that
name subjects in models/topics_en_v1.tsv, are among the 9,000 most frequent of models/word_vectors_en_v1.bin, and stood in the table in no
language, with people's occupations: English, German, French, Spanish. What the table has already stays as it is.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(__file__).resolve().parent / "data"
TABLE = ROOT / "models" / "translations_en_v1.tsv"
FRENCH = [("ien", "ienne"), ("éen", "éenne"), ("on", "onne"), ("ais", "aise"), ("ois", "oise"), ("ain", "aine")]
SPANISH = [("o", "a"), ("és", "esa"), ("án", "ana"), ("ín", "ina"), ("ón", "ona"), ("ol", "ola"), ("dor", "dora")]


def both(word, feminine):
    """Masculine and feminine."""
    forms = word.split("/")
    if len(forms) == 1:
        forms += [word.removesuffix(end) + other for end, other in feminine if word.endswith(end)][:1]
    return forms


def french(word):
    return [form for one in both(word, FRENCH) for form in (one, one if one.endswith(("s", "x")) else one + "s")]


def spanish(word):
    plural = lambda one: one + ("s" if one[-1] in "aeoé" else "es")
    unaccented = str.maketrans("áéíóú", "aeiou")
    is_accented = lambda one: one.endswith(("és", "án", "ín", "ón"))
    many = lambda one: plural(one.translate(unaccented)) if is_accented(one) else plural(one)
    return [form for one in both(word, SPANISH) for form in (one, many(one))]


def german_person(word):
    forms = word.lower().split("/")
    if len(forms) == 1 and word.endswith("e"):
        forms.append(forms[0] + "n")
    if len(forms) == 1 and word.endswith("er"):
        forms += [forms[0] + "n", forms[0] + "in", forms[0] + "innen"]
    return forms


def additions():
    for line in (DATA / "peoples.tsv").read_text(encoding="utf-8").splitlines():
        english, adjective, person, of_french, of_spanish = line.split("\t")
        every = ("de", [adjective, *german_person(person)]), ("fr", french(of_french)), ("es", spanish(of_spanish))
        # A name that English has too would be evidence of another language.
        yield from ((code, form, english) for code, forms in every for form in forms if form not in english.split(", "))
    for line in (DATA / "vocabulary.tsv").read_text(encoding="utf-8").splitlines():
        english, *others = line.split("\t")
        for code, words in zip(("de", "fr", "es"), others, strict=True):
            yield from ((code, word.replace("'", " "), english) for word in words.split(","))


def main():
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    table = {(code, phrase): english for code, phrase, english in rows}
    for code, phrase, english in additions():
        if len(phrase) > 2 and len(phrase.split()) <= 4:
            table.setdefault((code, phrase.replace("-", " ")), english)
    lines = ("\t".join([*key, english]) for key, english in sorted(table.items()))
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
