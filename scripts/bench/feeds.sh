#!/usr/bin/env bash
# How fast feeds are parsed to fields on one core, next to Python's fastfeedparser and feedparser on the same files.
#
# usage: scripts/bench/feeds.sh [FOLDER [ROUNDS]]
#
# All three have the files in memory, read each in turn in one process pinned to one core, and are timed by their own clocks after
# a first round that is not counted; of ROUNDS (5) the median counts, and of three turns of the two fast ones the fastest. What is
# parsed is not stored. JSON feeds are left out, since the Python libraries do not read them.
#
# In each time is all from the bytes to a list of items with what the feed says of them: charset, repair, links made absolute, dates
# read. Bodies are markup in it, as they stand in the feed, for all three (feedparser also sanitises them). aha-radar's second line
# adds making the plain text of every body, which its ingest does next and the others do not do.
#
# AHA_RADAR_BENCH names a built benchmark to use in the place of building one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/bench/feeds.sh: $1" >&2
    exit 2
}
folder=${1:-}
rounds=${2:-5}
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "ROUNDS has to be a number above 0; got $rounds"
if [[ -z $folder ]]; then
    folder=../shared/data/feeds-real
    [[ -d $folder ]] || folder=examples/feeds
fi
[[ -d $folder ]] || fail "there is no folder $folder"
folder=$(cd "$folder" && pwd)
source scripts/bench/common.sh
python_with 'feedparser==6.0.14' fastfeedparser
if [[ -n ${AHA_RADAR_BENCH:-} ]]; then
    bench=$AHA_RADAR_BENCH
else
    echo "building the benchmark" >&2
    bench=$(cargo bench --no-run --locked --bench feeds --message-format=json 2>/dev/null |
        python3 -c 'import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message.get("target", {}).get("name") == "feeds":
        print(message["executable"])')
fi
[[ -x $bench ]] || fail "the benchmark could not be built; cargo bench --no-run --bench feeds says why"
pinned=()
if command -v taskset >/dev/null; then pinned=(taskset -c 0); fi

"${pinned[@]}" "$python" - "$folder" "$rounds" "$bench" <<'PY'
import json, pathlib, statistics, subprocess, sys, time
import fastfeedparser, feedparser
TURNS = 3
folder, rounds, bench = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
files = [file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file() and file.suffix != ".json"]

def fast(data):
    try:
        return len(fastfeedparser.parse(data).entries)
    except Exception:
        return 0  # It raises on what it cannot read; the time it took counts all the same.

def measured(parse, rounds):
    items, seconds = 0, []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        items = sum(parse(data) for data in files)
        seconds.append(time.perf_counter() - start)
    return items, statistics.median(seconds[1:])

def own():
    done = subprocess.run([bench, str(folder), str(rounds)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"scripts/bench/feeds.sh: the benchmark ended with {done.returncode}:\n{done.stderr[-1000:]}")
    return json.loads(done.stdout)

# In turns, the fastest counts: what else the machine does for a moment is in none of them.
turns = [(own(), measured(fast, rounds)) for _ in range(TURNS)]
fastest = lambda name: (turns[0][0]["items"], min(ours[name] for ours, _ in turns))
found = {
    "aha-radar": fastest("seconds"),
    "… and plain text": fastest("seconds_with_text"),
    "fastfeedparser": min((theirs for _, theirs in turns), key=lambda theirs: theirs[1]),
    "feedparser": measured(lambda data: len(feedparser.parse(data).entries), max(1, rounds // 5)),
}
print(f"\n{len(files)} files, {sum(map(len, files)) / 1e6:.1f} MB, one core\n")
row = "{:<16} {:>8} {:>10} {:>12} {:>18} {:>18}".format
print(row("", "items", "seconds", "items/s", "x fastfeedparser", "x feedparser"))
rate = {name: items / seconds for name, (items, seconds) in found.items()}
for name, (items, seconds) in found.items():
    print(row(name, items, f"{seconds:.3f}", f"{rate[name]:.0f}", *(f"{rate[name] / rate[peer]:.2f}" for peer in ("fastfeedparser", "feedparser"))))
PY
