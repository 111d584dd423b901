#!/usr/bin/env bash
# Tries a build of what is shipped (profile dist) on 59 real feeds and on another parser's test cases, both kept outside the repository in ../shared.
#
# 1. Serves the real feeds on loopback and makes the same run over them twice: the digest must be the same byte for byte, no
#    table may grow, at least 300 items must be read, and the ten stories on top must come from at least 6 sources. The same run
#    on a throw-away Postgres server must give the same digest, byte for byte.
# 2. Holds the feed parser against the test cases, of which at least 104 have to pass, and against a reference, of whose feeds none may
#    fail and whose items all have to be found.
# 3. Holds what a run asks of a model, what each dialect can be made to send, and the tests' provider, against the real providers'
#    specifications, compares ledger and bill over a run of 1,000 items and 1,000 runs with mixes of failures, has 10,000 requests fail in all ways, and runs 200 weeks
#    in which sources are away for days: every item is offered once.
#
# Exit 0 when every check holds. Needs Rust, a C compiler and python3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "scripts/acceptance.sh: $1" >&2
    exit 2
}
[[ -d ../shared ]] || fail "the folder ../shared is missing; its feeds and test cases are what this script runs on"
shared=$(cd ../shared && pwd)
feeds=$shared/data/feeds-real
[[ -d $feeds ]] || fail "the folder $feeds is missing"
for tool in feed_conformance.py feed_reference.py; do
    [[ -f $shared/tools/$tool ]] || fail "$shared/tools/$tool is missing"
done
command -v python3 >/dev/null || fail "python3 is missing; it serves the feeds and reads the results"

# scripts/test.sh does not build them.
echo "checking the benchmarks" >&2
cargo clippy --workspace --benches --locked -- -D warnings
echo "building the release" >&2
cargo build --profile dist --locked
binary=$PWD/${CARGO_TARGET_DIR:-target}/dist/aha-radar
[[ -z ${CARGO_TARGET_DIR:-} || $CARGO_TARGET_DIR != /* ]] || binary=$CARGO_TARGET_DIR/dist/aha-radar

work=$(mktemp -d)
server=
clean_up() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# Serve the feeds on a free port.
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$feeds" >"$work/server.out" 2>"$work/server.err" &
server=$!
port=
for _ in $(seq 100); do
    port=$(sed -nE 's/^Serving HTTP on .* port ([0-9]+) .*/\1/p' "$work/server.out")
    [[ -z $port ]] || break
    kill -0 "$server" 2>/dev/null || fail "the feed server did not start: $(cat "$work/server.err")"
    sleep 0.1
done
[[ -n $port ]] || fail "the feed server did not say its port within 10 s"

{
    echo '<?xml version="1.0" encoding="UTF-8"?>'
    echo '<opml version="2.0"><head><title>Real feeds</title></head><body>'
    for file in "$feeds"/*; do
        name=$(basename "$file")
        echo "<outline type=\"rss\" text=\"${name%.*}\" xmlUrl=\"http://127.0.0.1:$port/$name\"/>"
    done
    echo '</body></opml>'
} >"$work/sources.opml"
sources=$(grep -c '<outline' "$work/sources.opml")

# Away from the repository and with an empty environment, so that nobody's .env or settings take part.
radar() (
    cd "$work"
    exec env -i PATH="$PATH" HOME="$work" DATABASE_URL="${database:-sqlite://$work/radar.db}" AHA_OUTPUT_DIR="$work/digests" \
        AHA_FETCH_ALLOW=127.0.0.1 AHA_FETCH_HOST_GAP_MS=0 AHA_NOW=2026-02-19T00:00:00Z "$binary" "$@"
)

# Makes the run and leaves NAME.exit, NAME.json (the digest), NAME.rows (row counts by table) and NAME.log.
run_once() {
    local name=$1 code=0
    radar --run-once --import "$work/sources.opml" --window 2026-02-04..2026-02-19 \
        >"$work/$name.out" 2>"$work/$name.log" || code=$?
    echo "$code" >"$work/$name.exit"
    radar digest latest --json >"$work/$name.json" 2>>"$work/$name.log" || true
    python3 - "$work/radar.db" >"$work/$name.rows" 2>>"$work/$name.log" <<'PY' || fail "the rows of $name cannot be counted: $(tail -n 1 "$work/$name.log")"
import os, sqlite3, sys
if not os.path.exists(sys.argv[1]):
    sys.exit("there is no database")
db = sqlite3.connect(sys.argv[1])
# An attempt and the looks at its sources are made anew by each run, by intent.
left_out = {"run_attempts", "fetch_runs"}
# This Python's SQLite may be too old for a virtual table (the search index); the tables that hold its rows are counted.
tables = """SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
            AND sql NOT LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name"""
for (table,) in db.execute(tables):
    if table not in left_out:
        print(table, db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])
PY
}
echo "running twice over $sources feeds" >&2
run_once first
run_once second

failed=0
rows=()
check() { # NAME, what was found, "yes" when it holds
    local verdict=ok
    [[ $3 == yes ]] || { verdict=FAILED; failed=1; }
    rows+=("$1|$2|$verdict")
}

first_exit=$(cat "$work/first.exit")
second_exit=$(cat "$work/second.exit")
check "first run ends with 0 or 3" "exit $first_exit" "$([[ $first_exit == 0 || $first_exit == 3 ]] && echo yes || echo no)"
check "second run ends the same" "exit $second_exit" "$([[ $second_exit == "$first_exit" ]] && echo yes || echo no)"

read -r items stories voices < <(python3 - "$work/first.json" <<'PY'
import json, sys
try:
    digest = json.load(open(sys.argv[1]))
except ValueError:
    print(0, 0, 0)
    sys.exit()
top = [story for story in digest["stories"] if story["section"] == "top"][:10]
def teller(story):
    """The name of the source that the story's link comes from, else of its first source."""
    sources = story["sources"]
    own = [source["name"] for source in sources if source["url"] == story["url"]]
    return (own or [source["name"] for source in sources] or [""])[0]
print(digest["digest"]["items"], len(top), len({teller(story) for story in top}))
PY
)
check "at least 300 items in the window" "$items items" "$([[ $items -ge 300 ]] && echo yes || echo no)"
check "top 10 from at least 6 sources" "$stories stories, $voices sources" \
    "$([[ $stories -eq 10 && $voices -ge 6 ]] && echo yes || echo no)"

bytes=$(wc -c <"$work/first.json" | tr -d ' ')
same=no
if [[ $bytes -gt 0 ]] && cmp -s "$work/first.json" "$work/second.json"; then same=yes; fi
check "digest the same byte for byte" "$bytes bytes" "$same"

tables=$(wc -l <"$work/first.rows" | tr -d ' ')
changed=$(diff "$work/first.rows" "$work/second.rows" | sed -n 's/^> //p' | tr '\n' ';' || true)
same=no
if [[ $tables -gt 0 ]] && cmp -s "$work/first.rows" "$work/second.rows"; then same=yes; fi
check "no table grew" "$tables tables${changed:+, changed: $changed}" "$same"

echo "running on Postgres" >&2
export binary work
export -f radar
export pg_window=2026-02-04..2026-02-19
bash scripts/postgres.sh bash -c '
    database=$AHA_TEST_POSTGRES_URL
    radar --run-once --import "$work/sources.opml" --window "$pg_window" >/dev/null 2>"$work/postgres.log"
    radar digest latest --json >"$work/postgres.json" 2>>"$work/postgres.log"' || true
same=no
if [[ -s $work/postgres.json ]] && cmp -s "$work/first.json" "$work/postgres.json"; then same=yes; fi
check "the same digest on Postgres" "$(wc -c <"$work/postgres.json" | tr -d ' ') bytes" "$same"

kill "$server" 2>/dev/null || true
server=

echo "reading another parser's cases and the reference" >&2
# The tool itself is content only when all pass; what is judged is its count.
cases=$(python3 "$shared/tools/feed_conformance.py" --bin "$binary" --show 0 2>"$work/cases.log" | tail -n 1 || true)
passed=$(sed -nE 's/^([0-9]+) passed, [0-9]+ failed$/\1/p' <<<"$cases")
check "at least 104 feed cases" "${cases:-no result: $(tail -n 1 "$work/cases.log")}" "$([[ ${passed:-0} -ge 104 ]] && echo yes || echo no)"
reference_code=0
reference=$(python3 "$shared/tools/feed_reference.py" --bin "$binary" --show 0 2>"$work/reference.log" | tail -n 1) || reference_code=$?
whole=$(python3 - "$reference" <<'PY'
import json, sys
try:
    found = json.loads(sys.argv[1])
except ValueError:
    sys.exit(print("no"))
print("yes" if found["failed"] == 0 and found["feeds"] > 0 and found["found"] == found["items"] else "no")
PY
)
[[ $reference_code == 0 ]] || whole=no
check "real feeds, against the reference" "${reference:-no result: $(tail -n 1 "$work/reference.log")}" "$whole"

echo "holding the tests' provider and what the dialects send against the specifications" >&2
specifications=$shared/data/provider-specs
found=$(AHA_TEST_OPENAI_SPEC=$specifications/openai.json AHA_TEST_OLLAMA_SPEC=$specifications/ollama.json \
    cargo test --locked --test it specification -- --ignored 2>&1 |
    sed -n 's/^test result: //p' || true)
check "requests and answers fit the spec" "${found:-no result}" "$([[ $found == "ok. "[1-9]* ]] && echo yes || echo no)"
cargo test --locked --test it a_thousand_items -- --ignored --nocapture >"$work/thousand.log" 2>&1 || true
found=$(sed -n 's/^batch size, //p' "$work/thousand.log")
check "ledger and bill over 1,000 items" "${found:-no result}" \
    "$(grep -q '^test result: ok. 1 passed' "$work/thousand.log" && echo yes || echo no)"
cargo test --locked --test it ten_thousand -- --ignored --nocapture >"$work/mixed.log" 2>&1 || true
found=$(sed -n 's/^\([0-9]* requests, [0-9]* unsettled\).*/\1/p' "$work/mixed.log")
check "mixed failures leave nothing" "${found:-no result}" \
    "$(grep -q '^test result: ok. 1 passed' "$work/mixed.log" && echo yes || echo no)"
cargo test --locked --test it a_thousand_mixes -- --ignored >"$work/mixes.log" 2>&1 || true
found=$(sed -n 's/^test result: //p' "$work/mixes.log")
check "digest, spend, bill: 1,000 mixes" "${found:-no result}" \
    "$(grep -q '^test result: ok. 1 passed' "$work/mixes.log" && echo yes || echo no)"
cargo test --locked --test it two_hundred_weeks -- --ignored >"$work/weeks.log" 2>&1 || true
found=$(sed -n 's/^test result: //p' "$work/weeks.log")
check "200 weeks of outages lose nothing" "${found:-no result}" \
    "$(grep -q '^test result: ok. 1 passed' "$work/weeks.log" && echo yes || echo no)"

echo
printf '%-34s  %-7s  %s\n' "check" "result" "found"
for row in "${rows[@]}"; do
    IFS='|' read -r name found verdict <<<"$row"
    printf '%-34s  %-7s  %s\n' "$name" "$verdict" "$found"
done
if ((failed)); then
    echo
    echo "last lines of the first run's log:"
    tail -n 15 "$work/first.log"
fi
exit "$failed"
