# The binary and the certificates it checks servers by; nothing else is added to a small Debian.
#
#   docker build -t aha-radar .
#   docker run --stop-timeout 30 --read-only -v aha-radar:/data aha-radar
#
# Calls under way have 15 s to end when the container is stopped; Docker kills after 10 unless --stop-timeout says otherwise.
# docs/OPERATING.md tells how to bring sources in, and why the port is not published.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build

# Dependencies in a layer of their own: it is made again only when the manifests, the settings of the build or the benchmarks change. The stand-in
# sources are empty; benchmarks are not built, but cargo reads no manifest that names files which are not there.
COPY .cargo .cargo
COPY Cargo.toml Cargo.lock ./
COPY benches benches
COPY crates/analysis/Cargo.toml crates/analysis/Cargo.toml
COPY crates/benchmark/Cargo.toml crates/benchmark/Cargo.toml
COPY crates/content/Cargo.toml crates/content/Cargo.toml
COPY crates/core/Cargo.toml crates/core/Cargo.toml
COPY crates/journal/Cargo.toml crates/journal/Cargo.toml
COPY crates/llm/Cargo.toml crates/llm/Cargo.toml
COPY crates/net/Cargo.toml crates/net/Cargo.toml
COPY crates/notes/Cargo.toml crates/notes/Cargo.toml
COPY crates/planner/Cargo.toml crates/planner/Cargo.toml
COPY crates/review/Cargo.toml crates/review/Cargo.toml
COPY crates/sentence/Cargo.toml crates/sentence/Cargo.toml
COPY crates/sentence/benches crates/sentence/benches
COPY crates/store/Cargo.toml crates/store/Cargo.toml
COPY crates/yaml/Cargo.toml crates/yaml/Cargo.toml
RUN for crate in analysis benchmark content core journal llm net notes planner review sentence store yaml; do \
        mkdir crates/$crate/src && touch crates/$crate/src/lib.rs || exit 1; \
    done \
    && mkdir src \
    && echo 'fn main() {}' > src/main.rs \
    && touch src/lib.rs \
    && cargo build --profile dist --locked \
    && rm -r src crates

COPY . .
# Copied files keep their old times; cargo would take the stand-ins for newer.
RUN touch src/main.rs src/lib.rs crates/*/src/lib.rs \
    && cargo build --profile dist --locked

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*

# A numbered user without a home or a shell. It owns /data and nothing else.
RUN groupadd --gid 10001 aha-radar \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin aha-radar \
    && install --directory --owner=10001 --group=10001 --mode=0750 /data

COPY --from=build /build/target/dist/aha-radar /usr/local/bin/aha-radar

# All that is written lies under /data, SQLite's own temporary files too, so the rest may be read-only.
ENV DATABASE_URL=sqlite:///data/aha-radar.db \
    AHA_OUTPUT_DIR=/data/digests \
    AHA_LISTEN=127.0.0.1:8080 \
    SQLITE_TMPDIR=/data

USER 10001:10001
WORKDIR /data
VOLUME /data

# Asks the daemon's health endpoint from inside the container, where loopback is enough.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["aha-radar", "healthcheck"]

ENTRYPOINT ["aha-radar"]
CMD ["daemon"]
