-- Who may sign in, and what is remembered of requests that must not be done twice.
-- docs/OPERATING.md tells operators what each column means.

CREATE TABLE accounts (
    user_id       TEXT PRIMARY KEY REFERENCES users (id),
    role          TEXT NOT NULL CHECK (role IN ('reader', 'editor', 'admin')),
    password_hash TEXT NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    fingerprint TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL CHECK (expires_at > created_at)
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE idempotency_keys (
    user_name    TEXT NOT NULL,
    key          TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    status       INTEGER CHECK (status BETWEEN 100 AND 599),
    answer       TEXT,
    begun_at     INTEGER NOT NULL,
    PRIMARY KEY (user_name, key),
    CHECK ((status IS NULL) = (answer IS NULL))
) STRICT;
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (begun_at);
