#!/usr/bin/env bash
# Shows in a browser that no markup of a feed runs: a folder of feeds that try is read, and what is stored of them is loaded.
#
# usage: scripts/conformance/sanitize.sh [FOLDER]
#
# Each feed is a source of its own. The page holds all that `content_items.html` has, as it is, first without any protection, then
# with the policy that a page of ours would have (`default-src 'none'`). Headless Chromium loads both through a proxy that
# writes down every request and lets none out. Of the first page images may be asked for, since images are kept; nothing else may.
# Nothing may run, and no element or attribute may be there that could.
#
# FOLDER is ../shared/data/feed-cases/sanitize when it is left out. AHA_RADAR_BIN names a binary to use in the place of building a
# release. Exit 0 when all holds. Needs Rust, python3 and Chromium (apt-get install chromium).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/conformance/sanitize.sh: $1" >&2
    exit 2
}
folder=${1:-../shared/data/feed-cases/sanitize}
[[ -d $folder ]] || fail "there is no folder $folder"
folder=$(cd "$folder" && pwd)
command -v python3 >/dev/null || fail "python3 is missing"
browser=
for name in chromium chromium-browser google-chrome headless_shell; do
    if command -v "$name" >/dev/null; then browser=$(command -v "$name"); break; fi
done
[[ -n $browser ]] || fail "Chromium is missing; apt-get install chromium"
binary=${AHA_RADAR_BIN:-}
if [[ -z $binary ]]; then
    echo "building the release" >&2
    cargo build --profile dist --locked
    binary=$PWD/${CARGO_TARGET_DIR:-target}/dist/aha-radar
fi
binary=$(realpath "$binary")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec 3>&1
python3 scripts/conformance/sanitize.py "$folder" "$binary" "$browser" "$work" >&3
