-- Who may sign in, and what is remembered of requests that must not be done twice.
-- docs/OPERATING.md tells operators what each column means.

CREATE TABLE accounts (
    user_id       TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id),
    role          TEXT COLLATE "C" NOT NULL CHECK (role IN ('reader', 'editor', 'admin')),
    password_hash TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL
);

CREATE TABLE sessions (
    fingerprint TEXT COLLATE "C" PRIMARY KEY,
    user_id     TEXT COLLATE "C" NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL CHECK (expires_at > created_at)
);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE idempotency_keys (
    user_name    TEXT COLLATE "C" NOT NULL,
    key          TEXT COLLATE "C" NOT NULL,
    request_hash TEXT COLLATE "C" NOT NULL,
    status       BIGINT CHECK (status BETWEEN 100 AND 599),
    answer       TEXT COLLATE "C",
    begun_at     BIGINT NOT NULL,
    PRIMARY KEY (user_name, key),
    CHECK ((status IS NULL) = (answer IS NULL))
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (begun_at);
