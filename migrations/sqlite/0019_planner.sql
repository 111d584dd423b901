-- What an owner plans: todos, events, habits, goals, how they came to be, and what can be undone.
-- docs/OPERATING.md tells operators what each column means.

-- One row a user: the version of all of their records, and the last id that was given.
CREATE TABLE planner_states (
    user_id TEXT PRIMARY KEY REFERENCES users (id),
    version INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0),
    last_id INTEGER NOT NULL DEFAULT 0 CHECK (last_id >= 0)
) STRICT;

CREATE TABLE todos (
    user_id         TEXT NOT NULL REFERENCES users (id),
    id              INTEGER NOT NULL CHECK (id > 0),
    title           TEXT NOT NULL CHECK (title <> ''),
    notes           TEXT NOT NULL,
    scheduled_for   TEXT,
    time_of_day     TEXT,
    start_time      TEXT,
    end_time        TEXT,
    location        TEXT,
    priority        TEXT NOT NULL CHECK (priority IN ('low', 'medium', 'high')),
    recurrence_json TEXT NOT NULL CHECK (json_valid(recurrence_json)),
    completed       INTEGER NOT NULL CHECK (completed IN (0, 1)),
    link            TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT;

CREATE TABLE events (
    user_id         TEXT NOT NULL REFERENCES users (id),
    id              INTEGER NOT NULL CHECK (id > 0),
    title           TEXT NOT NULL CHECK (title <> ''),
    notes           TEXT NOT NULL,
    scheduled_for   TEXT,
    time_of_day     TEXT,
    start_time      TEXT,
    end_time        TEXT,
    location        TEXT,
    priority        TEXT NOT NULL CHECK (priority IN ('low', 'medium', 'high')),
    recurrence_json TEXT NOT NULL CHECK (json_valid(recurrence_json)),
    completed       INTEGER NOT NULL CHECK (completed IN (0, 1)),
    link            TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT;

CREATE TABLE habits (
    user_id         TEXT NOT NULL REFERENCES users (id),
    id              INTEGER NOT NULL CHECK (id > 0),
    title           TEXT NOT NULL CHECK (title <> ''),
    notes           TEXT NOT NULL,
    scheduled_for   TEXT NOT NULL,
    time_of_day     TEXT,
    start_time      TEXT,
    end_time        TEXT,
    location        TEXT,
    priority        TEXT NOT NULL CHECK (priority IN ('low', 'medium', 'high')),
    recurrence_json TEXT NOT NULL CHECK (json_valid(recurrence_json)),
    completed       INTEGER NOT NULL CHECK (completed IN (0, 1)),
    link            TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT;

-- The days on which an occurrence was done: a habit's log, and the same of todos and events that repeat.
CREATE TABLE occurrence_logs (
    user_id TEXT NOT NULL REFERENCES users (id),
    item_id INTEGER NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('todo', 'event', 'habit')),
    day     TEXT NOT NULL,
    PRIMARY KEY (user_id, item_id, day)
) STRICT;

CREATE TABLE goals (
    user_id                TEXT NOT NULL REFERENCES users (id),
    id                     INTEGER NOT NULL CHECK (id > 0),
    title                  TEXT NOT NULL CHECK (title <> ''),
    notes                  TEXT NOT NULL,
    status                 TEXT NOT NULL CHECK (status IN ('active', 'completed', 'archived')),
    current_progress_value REAL CHECK (current_progress_value >= 0),
    target_progress_value  REAL CHECK (target_progress_value >= 0),
    progress_unit          TEXT,
    created_at             INTEGER NOT NULL,
    updated_at             INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT;

CREATE TABLE goal_todo_items (
    user_id TEXT NOT NULL,
    goal_id INTEGER NOT NULL,
    todo_id INTEGER NOT NULL,
    PRIMARY KEY (user_id, goal_id, todo_id)
) STRICT;

CREATE TABLE goal_event_items (
    user_id  TEXT NOT NULL,
    goal_id  INTEGER NOT NULL,
    event_id INTEGER NOT NULL,
    PRIMARY KEY (user_id, goal_id, event_id)
) STRICT;

CREATE TABLE goal_hierarchy (
    user_id  TEXT NOT NULL,
    goal_id  INTEGER NOT NULL,
    child_id INTEGER NOT NULL CHECK (child_id <> goal_id),
    PRIMARY KEY (user_id, goal_id, child_id)
) STRICT;

-- Batches of operations that were applied, with the records they changed as they were before and after.
CREATE TABLE operation_batches (
    id              TEXT PRIMARY KEY,
    user_id         TEXT NOT NULL REFERENCES users (id),
    version         INTEGER NOT NULL,
    operations_json TEXT NOT NULL CHECK (json_valid(operations_json)),
    before_json     TEXT NOT NULL CHECK (json_valid(before_json)),
    after_json      TEXT NOT NULL CHECK (json_valid(after_json)),
    applied_at      INTEGER NOT NULL,
    undone_at       INTEGER,
    UNIQUE (user_id, version)
) STRICT;

CREATE TABLE audit_log (
    user_id        TEXT NOT NULL REFERENCES users (id),
    version        INTEGER NOT NULL,
    position       INTEGER NOT NULL,
    action         TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('todo', 'event', 'habit', 'goal')),
    record_id      INTEGER NOT NULL,
    batch_id       TEXT NOT NULL REFERENCES operation_batches (id),
    operation_json TEXT NOT NULL CHECK (json_valid(operation_json)),
    at             INTEGER NOT NULL,
    PRIMARY KEY (user_id, version, position)
) STRICT;

-- Answers to requests that named a key: for 24 hours the same request gets the same answer. Keys and requests are kept as SHA-256.
CREATE TABLE idempotency (
    user_id        TEXT NOT NULL REFERENCES users (id),
    key_sha256     TEXT NOT NULL,
    request_sha256 TEXT NOT NULL,
    response       TEXT NOT NULL,
    answered_at    INTEGER NOT NULL,
    PRIMARY KEY (user_id, key_sha256)
) STRICT;
CREATE INDEX idempotency_by_time ON idempotency (answered_at);
