#!/usr/bin/env bash
# Fuzzes what reads input from outside: the feed parser, its repair, dates, canonical addresses, the sanitiser.
#
# usage: scripts/fuzz.sh [SECONDS [TARGET...]]
#
# Each target runs for SECONDS (600), one after the other; what it learns is kept in fuzz/corpus/TARGET, what makes it fail in
# fuzz/artifacts/TARGET. AHA_FUZZ_MINIMISE=1 then leaves of the corpus what covers as much in as few and small files as can be.
#
# Needs cargo-fuzz (cargo install cargo-fuzz --locked). With a nightly compiler memory is watched by AddressSanitizer; without
# one the pinned compiler does, as what is fuzzed has no unsafe code of its own.
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
cargo fuzz --version >/dev/null 2>&1 || fail "cargo-fuzz is missing; this script's first lines say how to install it"

cargo=(cargo) options=(--sanitizer none)
if cargo +nightly --version >/dev/null 2>&1; then
    cargo=(cargo +nightly) options=()
fi

# The lock is the main one's, so that the same code is fuzzed.
[[ -f fuzz/Cargo.lock ]] || cp Cargo.lock fuzz/Cargo.lock
failed=0
for target in "${targets[@]}"; do
    echo "fuzzing $target for $seconds s" >&2
    "${cargo[@]}" fuzz run "${options[@]}" "$target" -- -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=2048 || failed=1
    [[ -z ${AHA_FUZZ_MINIMISE:-} ]] || "${cargo[@]}" fuzz cmin "${options[@]}" "$target"
done
exit $failed
