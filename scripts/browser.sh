#!/usr/bin/env bash
# Makes sure that the browser of the tests is there: bash scripts/browser.sh
#
# Chromium and its driver, as Debian has them; without them, installs both through apt-get as root, and else says what to do. Exit 0 when they
# are there, 2 when they are not.
set -euo pipefail

is_there() { command -v chromium >/dev/null && command -v chromedriver >/dev/null; }
is_there && exit

missing="chromium and chromedriver are missing: tests/browser drives them. Install both (on Debian: apt-get install chromium chromium-driver)"
if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    echo "scripts/browser.sh: $missing" >&2
    exit 2
fi
echo "== installing chromium" >&2
if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-driver; } >&2 || ! is_there; then
    echo "scripts/browser.sh: $missing; apt-get could not" >&2
    exit 2
fi
