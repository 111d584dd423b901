#!/usr/bin/env bash
# Runs a command beside a throw-away Postgres server: bash scripts/postgres.sh COMMAND [ARGUMENT]...
#
# The command finds the server in AHA_TEST_POSTGRES_URL; server and data are gone when it ends. When that variable is set
# already, its server is used instead. Takes the newest Postgres that is installed; without one, installs it through apt-get as
# root, and else says what to do. Exits as the command does; 2 when there is no server.
set -euo pipefail

fail() {
    echo "scripts/postgres.sh: $1" >&2
    exit 2
}
(($#)) || fail "usage: bash scripts/postgres.sh COMMAND [ARGUMENT]..."
[[ -z ${AHA_TEST_POSTGRES_URL:-} ]] || exec "$@"

# The folder of initdb and pg_ctl, which Debian keeps out of PATH.
find_programs() {
    local folder
    for folder in $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | sort -rV); do
        if [[ -x $folder/initdb && -x $folder/pg_ctl ]]; then
            echo "$folder"
            return
        fi
    done
    if command -v initdb >/dev/null && command -v pg_ctl >/dev/null; then dirname "$(command -v initdb)"; fi
}

programs=$(find_programs)
if [[ -z $programs ]]; then
    missing="Postgres is missing: the tests run on both databases. Install the server (on Debian: apt-get install postgresql)"
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null ||
        fail "$missing, or name one that is running in AHA_TEST_POSTGRES_URL, as a user who may make databases"
    echo "== installing postgresql" >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; } >&2 ||
        fail "$missing; apt-get could not"
    programs=$(find_programs)
    [[ -n $programs ]] || fail "$missing; apt-get did, but initdb and pg_ctl are not where they should be"
fi

# The server refuses to run as root.
as_server=()
if [[ $(id -u) == 0 ]]; then
    user=postgres
    if ! id "$user" >/dev/null 2>&1; then
        user=aha-postgres
        id "$user" >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$user" ||
            fail "the Postgres server cannot run as root, and no user for it could be made"
    fi
    as_server=(runuser -u "$user" --)
fi

folder=$(mktemp -d /tmp/aha-pg.XXXXXX)
command_pid=
clean_up() {
    [[ -z $command_pid ]] || kill "$command_pid" 2>/dev/null || true
    (cd / && ${as_server[@]+"${as_server[@]}"} "$programs/pg_ctl" stop -D "$folder/data" -m immediate >/dev/null 2>&1) || true
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

[[ ${#as_server[@]} == 0 ]] || chown -R "$user" "$folder"
# C.UTF-8 is not on every system; C sorts and compares by bytes, as the tests need, and the encoding is given.
(cd / && ${as_server[@]+"${as_server[@]}"} "$programs/initdb" -D "$folder/data" -U aha \
    --auth trust --encoding UTF8 --locale C --no-sync >"$folder/initdb.log" 2>&1) ||
    fail "initdb failed: $(tail -n 5 "$folder/initdb.log")"
# Loopback and this socket alone, while the command runs. A role named with_password has to give its password.
sed -i.bak "1i host all with_password 127.0.0.1/32 scram-sha-256" "$folder/data/pg_hba.conf"
cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$folder'
max_connections = 300
shared_buffers = 64MB
# Nothing here outlives the command.
fsync = off
full_page_writes = off
synchronous_commit = off
CONF

started=
for _ in $(seq 20); do
    port=$((RANDOM % 20000 + 30000))
    if (cd / && ${as_server[@]+"${as_server[@]}"} "$programs/pg_ctl" start -w -t 30 -D "$folder/data" -o "-p $port" \
        -l "$folder/data/server.log" >/dev/null 2>&1); then
        started=yes
        break
    fi
done
[[ -n $started ]] || fail "the Postgres server did not start: $(tail -n 5 "$folder/data/server.log" 2>/dev/null)"

export AHA_TEST_POSTGRES_URL="postgres://aha@127.0.0.1:$port/postgres"
# In the background, so that a signal ends the server too.
"$@" <&0 &
command_pid=$!
code=0
wait "$command_pid" || code=$?
command_pid=
exit "$code"
