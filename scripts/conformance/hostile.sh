#!/usr/bin/env bash
# What hostile answers cost a build of what is shipped (profile dist): bombs, nesting, attributes and items without number, lies about length and encoding,
# a byte a second. Each in a run of its own, with time and peak memory of the whole process.
#
# usage: scripts/conformance/hostile.sh [NAME...]
#
# Exit 0 when each is within the bounds that scripts/conformance/hostile.py sets. AHA_RADAR names a program that is built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
    echo "scripts/conformance/hostile.sh: $1" >&2
    exit 2
}
source scripts/bench/common.sh
python_with brotli
release_program
exec "$python" scripts/conformance/hostile.py "$AHA_RADAR" "$@"
