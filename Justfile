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

# Everything a change must pass: formatting, lints, dependencies and all tests.
test:
    bash scripts/test.sh

# Kills, lost leases and storage faults by the hundred, on both databases.
kill *arguments:
    bash scripts/kill.sh {{ arguments }}

# Whole ingests of a folder of feeds, next to Python's feedparser with sqlite3.
bench folder="":
    bash scripts/bench.sh "{{ folder }}"

# Whole ingests of many sources, next to newsboat; then once more, unchanged.
bench-newsboat *arguments:
    bash scripts/bench_newsboat.sh {{ arguments }}

# What hostile answers cost in time and memory.
hostile *arguments:
    bash scripts/hostile.sh {{ arguments }}

# How runs slow down as items pile up, on both databases.
scale items="100000":
    bash scripts/scale.sh {{ items }}

# A release build against real feeds and another parser's test cases.
acceptance:
    bash scripts/acceptance.sh

# A run against a real model server, built once under target/peers; or, with `interfaces`, questions by three of its interfaces.
peers *arguments:
    bash scripts/peers.sh {{ arguments }}

# Questions through a LiteLLM proxy, installed once under target/peers.
peers-litellm:
    bash scripts/peers_litellm.sh

# What the gateway adds to a call beside what a LiteLLM proxy adds, in one run.
overhead:
    bash scripts/overhead.sh

# What is sent to OpenAI, held against its OpenAPI document by Prism, installed once under target/peers.
peers-prism document:
    bash scripts/peers_prism.sh "{{ document }}"
