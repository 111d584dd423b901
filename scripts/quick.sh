#!/usr/bin/env bash
# What to run after each change: the unit tests of all crates, and the integration tests on both databases without those that take
# minutes (kills, outages, mixes of failures). scripts/test.sh runs everything.
#
# usage: scripts/quick.sh [FILTER...]      only the tests whose names contain a FILTER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

slow=(--skip kill:: --skip outages:: --skip scheduled_runs:: --skip model_faults:: --skip judged::random_failures)
exec bash scripts/postgres.sh cargo test --workspace --lib --test it --locked -- "$@" "${slow[@]}"
