#!/usr/bin/env bash
# Drives `review` in tmux on the digest of the examples: next, like, dislike, save, why, open, undo, help; at two sizes. Prints each screen, and holds what was
# said against what the database has.
#
# usage: scripts/conformance/review_terminal.sh [PROGRAM]      default: target/debug/aha-radar
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$(realpath "${1:-target/debug/aha-radar}")
examples=$PWD/examples
command -v tmux >/dev/null || { apt-get install -y tmux >/dev/null 2>&1 || { echo "review_terminal: tmux is missing; install it" >&2; exit 2; }; }

folder=$(mktemp -d)
session=aha-review-$$
trap 'tmux -L "$session" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT
export AHA_NOW=2026-11-19T07:00:00Z DATABASE_URL=sqlite://$folder/aha-radar.db AHA_OUTPUT_DIR=$folder/digests
"$program" --run-once --import "$examples/sources.opml" --window 2026-11-16..2026-11-19 >/dev/null
# In the place of the browser's opener.
mkdir "$folder/bin"
printf '#!/bin/sh\necho "$1" >>%s/opened\n' "$folder" >"$folder/bin/xdg-open"
chmod +x "$folder/bin/xdg-open"

screen() { tmux -L "$session" capture-pane -p -t review; }
press() { tmux -L "$session" send-keys -t review "$@"; }
sees() {
    for _ in $(seq 150); do
        screen | grep -qF -- "$1" && return
        sleep 0.1
    done
    echo "review_terminal: \"$1\" did not appear in:" >&2
    screen >&2
    exit 1
}
said() { "$program" feedback list --json | python3 -c 'import json, sys; print(" ".join(sorted(e["kind"] for e in json.load(sys.stdin)["events"])))'; }

drive() {
    local columns=$1 rows=$2
    tmux -L "$session" new-session -d -s review -x "$columns" -y "$rows" \
        "env PATH=$folder/bin:\$PATH AHA_NOW=$AHA_NOW DATABASE_URL=$DATABASE_URL $program review 2>$folder/errors; echo left \$?; sleep 60"
    sees "1 of 30"
    echo "== ${columns}x$rows: the digest"; screen
    press l; sees "Liked"
    press n; sees "2 of 30"
    press s; sees "Saved."
    press n; press d; sees "Disliked"
    echo "== ${columns}x$rows: after like, save and dislike"; screen
    [ "$(said)" = "dislike like save" ] || { echo "review_terminal: stored is: $(said)" >&2; exit 1; }
    press w; sees "Aha score"
    echo "== ${columns}x$rows: why"; screen
    press w; press o; sees "Opened http"
    [ "$(said)" = "dislike like read save" ] && [ "$(wc -l <"$folder/opened")" -ge 1 ]
    press u; press u; sees "Undone."
    press u; press u; sees "1 of 30"
    press u; sees "nothing to undo"
    [ -z "$(said)" ] || { echo "review_terminal: left after undo: $(said)" >&2; exit 1; }
    press '?'; sees "the one before"
    echo "== ${columns}x$rows: help"; screen
    press Space; press End; sees "30 of 30"
    echo "== ${columns}x$rows: the last story"; screen
    press q; sees "left 0"
    tmux -L "$session" kill-session -t review
}

drive 80 24
drive 140 45
"$program" review </dev/null 2>"$folder/errors" && exit 1
grep -q "needs a terminal" "$folder/errors"
echo "review_terminal: keys said, opened, explained and undid at 80x24 and 140x45"
