# The project's habits by name: `just` lists them. Each is a plain command that also runs without just.

# List the recipes.
default:
    @just --list

# Format the code in place.
fmt:
    cargo fmt --all

# Formatting and lints, warnings refused.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Licences and origins of the dependencies, against deny.toml.
deny *checks:
    bash scripts/deny.sh {{ checks }}

# The unit tests of all crates.
unit:
    cargo test --workspace --lib --locked

# What to run after each change: the unit tests, and the integration tests without kills, outages and long mixes of failures.
quick *arguments:
    bash scripts/quick.sh {{ arguments }}

# Everything a change must pass: formatting, lints, dependencies and all tests.
test:
    bash scripts/test.sh

# Kills, lost leases and storage faults by the hundred, on both databases.
kill *arguments:
    bash scripts/kill.sh {{ arguments }}

# What is shipped, against real feeds and another parser's test cases (in ../shared).
acceptance:
    bash scripts/acceptance.sh

# The container image, built and run without an engine.
image:
    bash scripts/image.sh

# Whole ingests of a folder of feeds, next to Python's feedparser with sqlite3.
bench folder="":
    bash scripts/bench/ingest.sh "{{ folder }}"

# Feeds parsed on one core, next to fastfeedparser and feedparser.
bench-feeds *arguments:
    bash scripts/bench/feeds.sh {{ arguments }}

# Whole ingests of many sources, next to newsboat; then once more, unchanged.
bench-newsboat *arguments:
    bash scripts/bench/newsboat.sh {{ arguments }}

# How fast stories are put together, next to scikit-learn.
bench-clusters *arguments:
    bash scripts/bench/clusters.sh {{ arguments }}

# What the gateway adds to a call beside what a LiteLLM proxy adds, in one run.
overhead:
    bash scripts/bench/overhead.sh

# How runs slow down as items pile up, on both databases.
scale items="100000":
    bash scripts/bench/scale.sh {{ items }}

# How well labelled stories are put together, next to scikit-learn.
clusters *arguments:
    bash scripts/conformance/clusters.sh {{ arguments }}

# How two builds' digests differ, in figures.
digests *arguments:
    bash scripts/conformance/digests.sh {{ arguments }}

# What hostile answers cost in time and memory.
hostile *arguments:
    bash scripts/conformance/hostile.sh {{ arguments }}

# That no markup of a feed runs in a browser.
sanitize *arguments:
    bash scripts/conformance/sanitize.sh {{ arguments }}

# Fuzz what reads text from outside (needs a nightly compiler and cargo-fuzz).
fuzz *arguments:
    bash scripts/fuzz/fuzz.sh {{ arguments }}

# A run against a real model server, built once under target/peers; or, with `interfaces`, questions by three of its interfaces.
peers *arguments:
    bash scripts/peers/model_server.sh {{ arguments }}

# Questions through a LiteLLM proxy, installed once under target/peers.
peers-litellm:
    bash scripts/peers/litellm.sh

# What is sent to OpenAI, held against its OpenAPI document by Prism, installed once under target/peers.
peers-prism document:
    bash scripts/peers/prism.sh "{{ document }}"
