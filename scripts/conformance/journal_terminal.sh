#!/usr/bin/env bash
# Drives the screens of `journal extract` in tmux on a sample graph, from the first screen to the written page, at two sizes, and prints each screen.
#
# usage: scripts/conformance/journal_terminal.sh [PROGRAM]      default: target/debug/aha-radar
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$(realpath "${1:-target/debug/aha-radar}")
command -v tmux >/dev/null || { apt-get install -y tmux >/dev/null 2>&1 || { echo "journal_terminal: tmux is missing; install it" >&2; exit 2; }; }

folder=$(mktemp -d)
session=aha-journal-$$
trap 'tmux -L "$session" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

sample() {
    rm -rf "$folder/graph" "$folder/state"
    mkdir -p "$folder/graph/logseq" "$folder/graph/journals" "$folder/graph/pages"
    echo '{:file/name-format :triple-lowbar}' >"$folder/graph/logseq/config.edn"
    printf -- '- Standup\n\t- Mara is away until Thursday\n\t- Learned today that a tokio task that is dropped at an await point never runs the rest, because nothing polls it\n- TODO buy bread\n- Vessels longer than 90 m need a pilot between buoy 7 and the basin\n' \
        >"$folder/graph/journals/2026_03_02.md"
    printf -- '- Cancellation\n- Executors\n\t- tokio steals work between threads\n' >"$folder/graph/pages/Rust___Async.md"
    printf -- '- Who needs a pilot\n\t- Tankers always do\n' >"$folder/graph/pages/Pilotage.md"
}

screen() { tmux -L "$session" capture-pane -p -t journal; }
press() { tmux -L "$session" send-keys -t journal "$@"; }
# Waits until the screen has a text.
sees() {
    for _ in $(seq 100); do
        screen | grep -qF -- "$1" && return
        sleep 0.1
    done
    echo "journal_terminal: \"$1\" did not appear in:" >&2
    screen >&2
    exit 1
}

drive() {
    local columns=$1 rows=$2
    sample
    tmux -L "$session" new-session -d -s journal -x "$columns" -y "$rows" \
        "cd $folder && env AHA_NOW=2026-03-03T08:00:00Z AHA_JOURNAL_STATE=$folder/state $program journal extract --graph $folder/graph 2>$folder/errors; echo left \$?; sleep 60"
    sees "2 blocks with knowledge, 2 to be written"
    echo "== ${columns}x$rows: knowledge"; screen
    press Down; press Space; sees "1 to be written"
    press Space; sees "2 to be written"
    press 2; sees "becomes"
    press Up; press e; press End; press " Really."; press Enter; sees "it. Really."
    echo "== ${columns}x$rows: wording"; screen
    press 3; sees "add_under"
    echo "== ${columns}x$rows: places"; screen
    press Enter; sees "y agrees"
    echo "== ${columns}x$rows: the diff"; screen
    grep -q extracted-to "$folder/graph/journals/2026_03_02.md" && { echo "journal_terminal: it was written before it was agreed to" >&2; exit 1; }
    press y; sees "2 written"
    press Enter; press q; sees "left 0"
    tmux -L "$session" kill-session -t journal
    grep -q "never runs the rest, because nothing polls it. Really." "$folder/graph/pages/Rust___Async.md"
    grep -q "Vessels longer than 90 m" "$folder/graph/pages/Pilotage.md"
    [ "$(grep -c extracted-to "$folder/graph/journals/2026_03_02.md")" = 2 ]
    [ "$(grep -c . "$folder/graph/journals/2026_03_02.md")" = 7 ]
}

drive 80 24
drive 140 45
echo "journal_terminal: the screens led to the written pages at 80x24 and 140x45"
