#!/usr/bin/env bash
# Disturbs runs far more often than the tests do, in the same harness: tests/it/kill.
#
#   scripts/kill.sh [--kills N] [--losses N] [--faults N] [--paid N] [--database sqlite|postgres|both] [--seed S]
#
# For each database: N processes killed at random moments, N leases lost (the holder frozen, another takes over, the first wakes),
# N storage faults (SQLite: the disk full; Postgres: the connection cut), N runs that a provider judges for money killed once or
# twice while they pay. Without any of the four: 250 kills, 200 losses, 100 faults and 200 paid runs, and runs killed at every failpoint,
# in the middle of those that are passed again and again, too. The last line adds up what was found. Exit 0 only when all counts
# of harm are 0 and at least one round was made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "scripts/kill.sh: $1" >&2
    exit 2
}
kills=0 losses=0 faults=0 paid=0 middles=0 database=both seed=$RANDOM
while (($#)); do
    [[ $# -ge 2 ]] || fail "$1 expects a value"
    case $1 in
    --kills | --losses | --faults | --paid | --seed) [[ $2 =~ ^[0-9]+$ ]] || fail "$1 expects a number, not $2" ;;&
    --kills) kills=$2 ;;
    --losses) losses=$2 ;;
    --faults) faults=$2 ;;
    --paid) paid=$2 ;;
    --seed) seed=$2 ;;
    --database) database=$2 ;;
    *) fail "unknown argument $1" ;;
    esac
    shift 2
done
((kills + losses + faults + paid)) || kills=250 losses=200 faults=100 paid=200 middles=1
case $database in
sqlite | postgres) databases=("on_$database") ;;
both) databases=(on_sqlite on_postgres) ;;
*) fail "--database is sqlite, postgres or both, not $database" ;;
esac

tests=()
for kind in "${databases[@]}"; do
    ((kills == 0)) || tests+=("kill::random_kills::$kind::a_run_killed_at_any_moment_is_continued")
    ((losses == 0)) || tests+=("kill::losses::$kind::a_run_that_changes_hands_is_committed_once")
    ((faults == 0)) || tests+=("kill::faults::$kind::a_run_whose_storage_fails_goes_on_when_it_is_back")
    ((paid == 0)) || tests+=("kill::paid::$kind::a_paid_run_killed_at_any_moment_is_continued")
    ((middles == 0)) || tests+=("kill::points::$kind::a_window_run_killed_at_any_point_is_continued"
        "kill::points::$kind::a_cursor_run_killed_at_any_point_is_continued")
done
report=$(mktemp)
trap 'rm -f "$report"' EXIT
echo "== seed $seed"
code=0
AHA_KILLS=$kills AHA_LOSSES=$losses AHA_FAULTS=$faults AHA_PAID=$paid AHA_MIDDLES=$middles AHA_TEST_SEED=$seed AHA_KILL_REPORT=$report \
    bash scripts/postgres.sh cargo test --locked --test it -- --exact "${tests[@]}" || code=1

echo
sort "$report"
# Each line reads "WHAT: N rounds, N struck at work, N items lost, …".
awk -F': ' '
    { split($NF, counts, ", "); for (i in counts) { split(counts[i], words, " "); sum[i] += words[1] } }
    END {
        if (!sum[1]) none = 1
        printf "all together: %d rounds, %d struck at work, %d items lost, %d doubled, %d runs stuck or committed twice, " \
            "%d integrity checks failed, %d digests differ\n", sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]
        exit none
    }' "$report" || {
    echo "scripts/kill.sh: not one round was made, so nothing was shown" >&2
    code=1
}
exit "$code"
