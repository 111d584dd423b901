#!/usr/bin/env bash
# How fast and in how much memory a folder of feeds is read, next to Python's feedparser on the same files.
#
# usage: scripts/bench.sh [FOLDER [WINDOW]]
#
# feedparser parses the files from disk, one after the other, in one process. aha-radar fetches them from a server on
# loopback, parses, cleans and stores them (its stage `ingest`), then goes on to the digest (the whole run): it does more, so
# the first ratio is the one to look at. JSON feeds are left out on both sides, since feedparser does not read them. One run
# of each, on a fresh database: figures vary from run to run and with what else the machine does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "scripts/bench.sh: $1" >&2
    exit 2
}
folder=${1:-}
window=${2:-}
if [[ -z $folder ]]; then
    folder=../shared/data/feeds-real
    if [[ -d $folder ]]; then window=${window:-2026-02-04..2026-02-19}; else folder=examples/feeds; fi
fi
window=${window:-2026-11-16..2026-11-19}
[[ -d $folder ]] || fail "there is no folder $folder"
folder=$(cd "$folder" && pwd)
command -v python3 >/dev/null || fail "python3 is missing"

mkdir -p target
venv=$PWD/target/bench-venv
if [[ ! -x $venv/bin/python ]] || ! "$venv/bin/python" -c 'import feedparser' 2>/dev/null; then
    echo "installing feedparser into $venv" >&2
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check 'feedparser==6.0.14'
fi
echo "building the release" >&2
cargo build --release --locked
binary=$PWD/${CARGO_TARGET_DIR:-target}/release/aha-radar
[[ -z ${CARGO_TARGET_DIR:-} || $CARGO_TARGET_DIR != /* ]] || binary=$CARGO_TARGET_DIR/release/aha-radar

work=$(mktemp -d)
server=
clean_up() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# The same files for both: links to what feedparser can read.
mkdir "$work/feeds"
for file in "$folder"/*; do
    case $file in
    *.json) ;;
    *) [[ ! -f $file ]] || ln -s "$file" "$work/feeds/" ;;
    esac
done
[[ -n $(ls "$work/feeds") ]] || fail "there is no feed in $folder"

echo "feedparser" >&2
"$venv/bin/python" - "$work/feeds" >"$work/feedparser.json" <<'PY'
import json, pathlib, resource, sys, time
import feedparser
files = sorted(pathlib.Path(sys.argv[1]).iterdir())
start = time.perf_counter()
items = sum(len(feedparser.parse(file.read_bytes()).entries) for file in files)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
size = sum(file.stat().st_size for file in files)
print(json.dumps({"files": len(files), "bytes": size, "items": items, "seconds": seconds, "peak_kib": peak}))
PY

python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work/feeds" >"$work/server.out" 2>"$work/server.err" &
server=$!
port=
for _ in $(seq 100); do
    port=$(sed -nE 's/^Serving HTTP on .* port ([0-9]+) .*/\1/p' "$work/server.out")
    [[ -z $port ]] || break
    kill -0 "$server" 2>/dev/null || fail "the feed server did not start: $(cat "$work/server.err")"
    sleep 0.1
done
[[ -n $port ]] || fail "the feed server did not say its port within 10 s"
python3 - "$work/feeds" "$port" >"$work/sources.opml" <<'PY'
import pathlib, sys, urllib.parse, xml.sax.saxutils as sax
print('<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><head><title>Bench</title></head><body>')
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    url = f"http://127.0.0.1:{sys.argv[2]}/{urllib.parse.quote(file.name)}"
    print(f"<outline type=\"rss\" text={sax.quoteattr(file.stem)} xmlUrl={sax.quoteattr(url)}/>")
print("</body></opml>")
PY

echo "aha-radar" >&2
python3 - "$binary" "$work" "$window" >"$work/radar.json" <<'PY'
"""Makes one run and prints its wall time, its ingest stage's own time, and its peak memory."""
import json, os, pathlib, re, resource, sqlite3, subprocess, sys, time
binary, work, window = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work), "DATABASE_URL": f"sqlite://{work}/radar.db",
    "AHA_OUTPUT_DIR": str(work / "digests"), "AHA_FETCH_ALLOW": "127.0.0.1", "AHA_FETCH_HOST_GAP_MS": "0",
    "AHA_LOG": "info", "AHA_LOG_FORMAT": "json",
}
command = [binary, "--run-once", "--import", str(work / "sources.opml"), "--window", window]
timer = pathlib.Path("/usr/bin/time")
gnu = timer.exists() and subprocess.run([timer, "-v", "true"], capture_output=True).returncode == 0
if gnu:
    command = [str(timer), "-v", "-o", str(work / "time.out"), *command]
start = time.perf_counter()
done = subprocess.run(command, env=environment, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
seconds = time.perf_counter() - start
if done.returncode not in (0, 3):
    sys.exit(f"scripts/bench.sh: the run ended with exit code {done.returncode}:\n{done.stderr[-2000:]}")
ingest = None
for line in done.stderr.splitlines():
    try:
        entry = json.loads(line)
    except ValueError:
        continue
    fields = entry.get("fields", entry) if isinstance(entry, dict) else {}
    if fields.get("message") == "stage finished" and fields.get("stage") == "ingest":
        ingest = float(fields["elapsed_ms"]) / 1000
if gnu:
    found = re.search(r"Maximum resident set size \(kbytes\): (\d+)", (work / "time.out").read_text())
    peak = int(found.group(1))
else:
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
db = sqlite3.connect(work / "radar.db")
items = db.execute("SELECT coalesce(sum(items_seen), 0) FROM fetch_runs").fetchone()[0]
print(json.dumps({"items": items, "seconds": seconds, "ingest_seconds": ingest, "peak_kib": peak, "exit": done.returncode}))
PY

python3 - "$work/feedparser.json" "$work/radar.json" <<'PY'
import json, sys
peer, own = (json.load(open(path)) for path in sys.argv[1:])
print(f"\n{peer['files']} files, {peer['bytes'] / 1e6:.1f} MB\n")
row = "{:<36} {:>10} {:>8} {:>14} {:>16}".format
print(row("", "seconds", "items", "peak MiB", "times feedparser"))
def line(name, seconds, items, peak):
    ratio = "not known" if not seconds else f"{peer['seconds'] / seconds:.1f}"
    shown = "not known" if seconds is None else f"{seconds:.3f}"
    print(row(name, shown, items, f"{peak / 1024:.0f}", ratio))
line("feedparser, parsing alone", peer["seconds"], peer["items"], peer["peak_kib"])
line("aha-radar, ingest (fetch to store)", own["ingest_seconds"], own["items"], own["peak_kib"])
line("aha-radar, the whole run", own["seconds"], own["items"], own["peak_kib"])
if own["exit"] == 3:
    print("\nThe run was partial: a source failed. `items` tells how much was read on each side.")
if own["ingest_seconds"] is None:
    print("\nThe run logged no line `stage finished` for the stage `ingest`.")
PY
