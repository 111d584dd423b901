#!/usr/bin/env bash
# Fuzzes what reads input from outside: the feed parser, its repair, dates, canonical addresses, the sanitiser.
#
# usage: scripts/fuzz.sh [SECONDS [TARGET...]]
#
# Each target runs for SECONDS (600), one after the other; what it learns is kept in fuzz/corpus/TARGET, what makes it fail in
# fuzz/artifacts/TARGET. Needs a nightly compiler and cargo-fuzz:
#   rustup toolchain install nightly --profile minimal && cargo install cargo-fuzz --locked
#
# Exit 0 when no target failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "scripts/fuzz.sh: $1" >&2
    exit 2
}
seconds=${1:-600}
[[ $seconds =~ ^[0-9]+$ ]] || fail "SECONDS has to be a number; got $seconds"
shift || true
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(parser repair dates canonical sanitizer)
cargo +nightly fuzz --version >/dev/null 2>&1 ||
    fail "cargo-fuzz or a nightly compiler is missing; this script's first lines say how to install them"

# A newer compiler may warn of what the pinned one does not, and the lock is the main one's, so that the same code is fuzzed.
[[ -f fuzz/Cargo.lock ]] || cp Cargo.lock fuzz/Cargo.lock
failed=0
for target in "${targets[@]}"; do
    echo "fuzzing $target for $seconds s" >&2
    cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=2048 || failed=1
done
exit $failed
