# What the comparisons share; sourced by them, in the repository's folder.

# Leaves in `python` an interpreter that has the packages named, installed once under target/.
python_with() {
    command -v python3 >/dev/null || fail "python3 is missing"
    mkdir -p target
    python=$PWD/target/bench-venv/bin/python
    [[ -x $python ]] || python3 -m venv target/bench-venv
    "$python" -m pip install --quiet --disable-pip-version-check "$@"
}

# Leaves in AHA_RADAR the build of what is shipped (profile dist), unless it names a program already.
release_program() {
    [[ -z ${AHA_RADAR:-} ]] || return 0
    echo "building the release" >&2
    cargo build --profile dist --locked
    local folder=${CARGO_TARGET_DIR:-target}
    AHA_RADAR=$(cd "$folder" && pwd)/dist/aha-radar
}
