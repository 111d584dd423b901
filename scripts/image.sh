#!/usr/bin/env bash
# Builds the container image from a clean checkout of HEAD, both stages of the Dockerfile as they stand, and runs it: without an engine's
# daemon and without a registry.
#
# 1. Bases: `debian:bookworm-slim` and `rust:N-slim-bookworm` are made from Debian's packages by mmdebstrap; the second holds this machine's
#    Rust toolchain, which has to be the version that the Dockerfile names.
# 2. Build: buildah with chroot isolation; crates come from where cargo gets them.
# 3. Run: runc, as the image's user, read-only but for /data, without any capability. A one-shot run has to leave a digest; a daemon has to be
#    healthy by the image's own health check, and, stopped by SIGTERM while a paid call is under way, to end within its stop time-out with the
#    call's ledger row settled.
#
# Exit 0 when all of it holds. Takes about 20 minutes on two cores and 12 GB of disk under TMPDIR. Needs root, Rust, python3, and mmdebstrap,
# buildah and runc, which it installs where apt-get is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

STOP_TIMEOUT_SECONDS=30
NOW=2026-11-19T07:00:00Z
AUTHORITIES=/etc/ssl/certs/ca-certificates.crt

fail() {
    echo "scripts/image.sh: $1" >&2
    exit "${2:-1}"
}
say() { echo "== $1" >&2; }

[[ $(id -u) == 0 ]] || fail "it has to be root: it makes file systems and containers" 2
command -v python3 >/dev/null || fail "python3 is missing" 2
missing=()
for tool in mmdebstrap buildah runc; do command -v "$tool" >/dev/null || missing+=("$tool"); done
if ((${#missing[@]})); then
    command -v apt-get >/dev/null || fail "missing: ${missing[*]}" 2
    say "installing ${missing[*]}"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >&2
fi

base=$(sed -nE 's/^FROM (rust:[^ ]+) AS .*/\1/p' Dockerfile)
version=${base#rust:} version=${version%%-*}
[[ $(rustc --version) == "rustc $version."* ]] || fail "the Dockerfile builds with Rust $version, and this is $(rustc --version)" 2
final=$(sed -nE 's/^FROM (debian:[^ ]+)$/\1/p' Dockerfile)
[[ $final == debian:bookworm-slim && $base == *-slim-bookworm ]] || fail "the Dockerfile's bases are $base and $final, not of bookworm" 2

work=$(mktemp -d)
model=
container=aha-radar-$$
clean_up() {
    [[ -z $model ]] || kill "$model" 2>/dev/null || true
    runc delete --force "$container" >/dev/null 2>&1 || true
    builder rm --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap clean_up EXIT
builder() { buildah --root "$work/storage" --runroot "$work/runroot" --storage-driver vfs "$@"; }

# The image NAME of a Debian root with PACKAGES besides, and with the files of FOLDER (may be empty).
base_image() {
    local name=$1 packages=$2 folder=$3 root
    mmdebstrap --quiet --variant=minbase ${packages:+--include="$packages"} bookworm "$work/root.tar"
    root=$(builder from scratch)
    builder add --quiet "$root" "$work/root.tar" / >/dev/null
    if [[ -n $folder ]]; then
        builder copy --quiet "$root" "$folder" / >/dev/null
    fi
    builder commit --quiet --rm "$root" "docker.io/library/$name" >/dev/null
    rm "$work/root.tar"
}

say "making $final"
base_image "$final" "" ""
say "making $base"
toolchain=$(rustc --print sysroot)
mkdir -p "$work/files/usr/local" "$work/files/etc/ssl/certs"
cp -a "$toolchain/bin" "$toolchain/lib" "$work/files/usr/local"
# Where a network has an authority of its own, crates come through it in the build as they do here.
[[ ! -f $AUTHORITIES ]] || cp "$AUTHORITIES" "$work/files$AUTHORITIES"
base_image "$base" ca-certificates,gcc,libc6-dev "$work/files"
rm -rf "$work/files"

say "building the image from $(git rev-parse --short HEAD)"
mkdir "$work/checkout"
git archive HEAD | tar -x -C "$work/checkout"
builder bud --format docker --isolation chroot --pull-never --tag aha-radar "$work/checkout" >&2
builder inspect --type image localhost/aha-radar >"$work/image.json"
say "the image is built"

root=$(builder mount "$(builder from --pull-never localhost/aha-radar)")
data=$work/data
cp -a "$root/data" "$data"
cp -a "$work/checkout/examples" "$data/examples"
chmod 711 "$work"
mkdir "$work/bundle"
make_bundle() { python3 scripts/image.py bundle "$work/image.json" "$root" "$data" "$work/bundle" "$@"; }
# Runs the image once with ARGUMENTs.
once() {
    make_bundle "AHA_NOW=$NOW" -- "$@"
    runc run --bundle "$work/bundle" "$container"
}

say "a run: read-only root, no capabilities"
once --run-once --import examples/sources.opml --window 2026-11-16..2026-11-19 >"$work/run.out"
head -n 12 "$work/run.out"
stories=$(once digest latest --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["stories"]))')
((stories > 0)) || fail "the digest of the run has no story"
pages=$(find "$data/digests" -name '*.html' | wc -l)
((pages > 0)) || fail "the run left no page in /data/digests"
say "a digest of $stories stories, $pages page(s)"
[[ $(find "$root" -newer "$work/run.out" -type f | wc -l) == 0 ]] || fail "the run wrote outside of /data"

say "the daemon, with a model that takes 5 s to answer"
mkdir "$work/model"
python3 scripts/image.py model "$work/model" 5 &
model=$!
for _ in $(seq 100); do [[ -f $work/model/address ]] && break || sleep 0.1; done
make_bundle "AHA_NOW=$NOW" "AHA_SCHEDULE=every 6h" OPENAI_API_KEY=x OPENAI_MODEL=mock "OPENAI_BASE_URL=$(<"$work/model/address")" \
    OPENAI_CREDITS_PER_1K_INPUT_TOKENS=1 OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS=2 AHA_LISTEN=127.0.0.1:18080 --
runc run --bundle "$work/bundle" "$container" >"$work/daemon.out" 2>"$work/daemon.err" &
daemon=$!
for _ in $(seq 300); do [[ -f $work/model/asked ]] && break || sleep 0.1; done
[[ -f $work/model/asked ]] || fail "the daemon asked no model within 30 s: $(cat "$work/daemon.err")"
health=$(python3 -c 'import json, shlex, sys
check = json.load(open(sys.argv[1]))["Docker"]["config"]["Healthcheck"]["Test"]
print(check[1] if check[0] == "CMD-SHELL" else shlex.join(check[1:]))' "$work/image.json")
runc exec "$container" sh -c "$health" || fail "the health check ($health) of the image fails"
grep -E '^(Cap(Eff|Bnd)|NoNewPrivs|Uid)' "/proc/$(runc state "$container" | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')/status"

say "SIGTERM while a paid call is under way"
begun=$(date +%s)
runc kill "$container" TERM
code=0
timeout "$STOP_TIMEOUT_SECONDS" tail --pid="$daemon" -f /dev/null || fail "it did not end within $STOP_TIMEOUT_SECONDS s"
wait "$daemon" || code=$?
say "ended after $(($(date +%s) - begun)) s with exit code $code"
((code == 0)) || fail "the daemon has to end with 0: $(cat "$work/daemon.err")"
once calls --json >"$work/calls.json"
python3 scripts/image.py settled "$work/calls.json"
say "all of it holds"
