#!/usr/bin/env bash
# Fuzzes what reads input from outside: the feed parser, its repair, dates, canonical addresses, the sanitiser, the
# sentences of the planner, documents, answers of models, pages of notes.
#
# usage: scripts/fuzz/fuzz.sh [SECONDS [TARGET...]]
#
# Each target runs for SECONDS (600), one after the other. It begins with fuzz/corpus/TARGET, written by hand, and with
# fuzz/learned/TARGET.jsonl, what earlier ones learned; what it learns goes to fuzz/work/TARGET, what makes it fail to
# fuzz/artifacts/TARGET. AHA_FUZZ_KEEP=1 then writes of all that to fuzz/learned what covers as much in as few and small
# inputs as can be; the tests try those again.
#
# Needs cargo-fuzz (cargo install cargo-fuzz --locked). With a nightly compiler memory is watched by AddressSanitizer; without
# one the pinned compiler does, as what is fuzzed has no unsafe code of its own.
#
# Exit 0 when no target failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/fuzz/fuzz.sh: $1" >&2
    exit 2
}
seconds=${1:-600}
[[ $seconds =~ ^[0-9]+$ ]] || fail "SECONDS has to be a number; got $seconds"
shift || true
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(parser repair dates canonical sanitizer planner documents answers notes)
cargo fuzz --version >/dev/null 2>&1 || fail "cargo-fuzz is missing; this script's first lines say how to install it"

cargo=(cargo) options=(--sanitizer none)
# Asked of a compiler that is not there, rustup would install it.
if rustup toolchain list 2>/dev/null | grep -q '^nightly'; then
    cargo=(cargo +nightly) options=()
fi

# The lock is the main one's, so that the same code is fuzzed.
[[ -f fuzz/Cargo.lock ]] || cp Cargo.lock fuzz/Cargo.lock
failed=0
for target in "${targets[@]}"; do
    work=fuzz/work/$target learned=fuzz/learned/$target.jsonl
    python3 scripts/fuzz/learned.py unpack "$learned" "$work"
    echo "fuzzing $target for $seconds s" >&2
    "${cargo[@]}" fuzz run "${options[@]}" "$target" "$work" "fuzz/corpus/$target" -- \
        -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=2048 || failed=1
    [[ -n ${AHA_FUZZ_KEEP:-} ]] || continue
    kept=$(mktemp -d)
    "${cargo[@]}" fuzz run "${options[@]}" "$target" "$kept" "$work" -- -set_cover_merge=1 -use_counters=0 -max_len=1024
    python3 scripts/fuzz/learned.py pack "$kept" "$learned"
    rm -r "$kept"
done
exit $failed
