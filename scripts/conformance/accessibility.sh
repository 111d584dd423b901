#!/usr/bin/env bash
# Holds every page to axe-core's rules (WCAG A and AA, best practices) in Chromium, light and dark, on a phone and on a desktop: 0 violations, and
# nothing wider than the screen, nothing moved after the first paint, whose time is printed. The pages are those of a server of its own with the repository's example feeds.
#
# usage: scripts/conformance/accessibility.sh [PROGRAM]      by default target/debug/aha-radar; SHOTS=FOLDER keeps a picture of each page
#
# Needs node, and npm, which fetches axe-core and puppeteer-core; and Chromium (scripts/browser.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$(realpath "${1:-target/debug/aha-radar}")
bash scripts/browser.sh

folder=$(mktemp -d)
server=
clean_up() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" axe-core@4 puppeteer-core@24

export DATABASE_URL=sqlite://$folder/aha-radar.db AHA_OUTPUT_DIR=$folder/digests AHA_NOW=2026-11-19T07:00:00Z
export AHA_LISTEN=127.0.0.1:${PORT:-8473}
"$program" --run-once --import examples/sources.opml --window 2026-11-16..2026-11-17 >/dev/null 2>&1
"$program" topic set default --interests "$(cat examples/interests.txt)" >/dev/null
"$program" run --window 2026-11-16..2026-11-19 >/dev/null 2>&1
"$program" feedback 2 save >/dev/null
"$program" serve >/dev/null 2>&1 &
server=$!
for _ in $(seq 100); do
    curl -sf -o /dev/null "http://$AHA_LISTEN/health" && break
    sleep 0.1
done
cp scripts/conformance/accessibility.mjs "$folder"
(cd "$folder" && node accessibility.mjs "http://$AHA_LISTEN" "${SHOTS:-}")
