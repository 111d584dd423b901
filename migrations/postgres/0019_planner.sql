-- What an owner plans: todos, events, habits, goals, how they came to be, and what can be undone.
-- docs/OPERATING.md tells operators what each column means.

-- One row a user: the version of all of their records, and the last id that was given.
CREATE TABLE planner_states (
    user_id TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id),
    version BIGINT NOT NULL DEFAULT 0 CHECK (version >= 0),
    last_id BIGINT NOT NULL DEFAULT 0 CHECK (last_id >= 0)
);

CREATE TABLE todos (
    user_id         TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    id              BIGINT NOT NULL CHECK (id > 0),
    title           TEXT NOT NULL CHECK (title <> ''),
    notes           TEXT NOT NULL,
    scheduled_for   TEXT COLLATE "C",
    time_of_day     TEXT COLLATE "C",
    start_time      TEXT COLLATE "C",
    end_time        TEXT COLLATE "C",
    location        TEXT,
    priority        TEXT COLLATE "C" NOT NULL CHECK (priority IN ('low', 'medium', 'high')),
    recurrence_json TEXT NOT NULL CHECK (recurrence_json::json IS NOT NULL),
    completed       BIGINT NOT NULL CHECK (completed IN (0, 1)),
    link            TEXT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE events (
    user_id         TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    id              BIGINT NOT NULL CHECK (id > 0),
    title           TEXT NOT NULL CHECK (title <> ''),
    notes           TEXT NOT NULL,
    scheduled_for   TEXT COLLATE "C",
    time_of_day     TEXT COLLATE "C",
    start_time      TEXT COLLATE "C",
    end_time        TEXT COLLATE "C",
    location        TEXT,
    priority        TEXT COLLATE "C" NOT NULL CHECK (priority IN ('low', 'medium', 'high')),
    recurrence_json TEXT NOT NULL CHECK (recurrence_json::json IS NOT NULL),
    completed       BIGINT NOT NULL CHECK (completed IN (0, 1)),
    link            TEXT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE habits (
    user_id         TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    id              BIGINT NOT NULL CHECK (id > 0),
    title           TEXT NOT NULL CHECK (title <> ''),
    notes           TEXT NOT NULL,
    scheduled_for   TEXT COLLATE "C" NOT NULL,
    time_of_day     TEXT COLLATE "C",
    start_time      TEXT COLLATE "C",
    end_time        TEXT COLLATE "C",
    location        TEXT,
    priority        TEXT COLLATE "C" NOT NULL CHECK (priority IN ('low', 'medium', 'high')),
    recurrence_json TEXT NOT NULL CHECK (recurrence_json::json IS NOT NULL),
    completed       BIGINT NOT NULL CHECK (completed IN (0, 1)),
    link            TEXT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- The days on which an occurrence was done: a habit's log, and the same of todos and events that repeat.
CREATE TABLE occurrence_logs (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    item_id BIGINT NOT NULL,
    kind    TEXT COLLATE "C" NOT NULL CHECK (kind IN ('todo', 'event', 'habit')),
    day     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, item_id, day)
);

CREATE TABLE goals (
    user_id                TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    id                     BIGINT NOT NULL CHECK (id > 0),
    title                  TEXT NOT NULL CHECK (title <> ''),
    notes                  TEXT NOT NULL,
    status                 TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'completed', 'archived')),
    current_progress_value DOUBLE PRECISION CHECK (current_progress_value >= 0),
    target_progress_value  DOUBLE PRECISION CHECK (target_progress_value >= 0),
    progress_unit          TEXT,
    created_at             BIGINT NOT NULL,
    updated_at             BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE goal_todo_items (
    user_id TEXT COLLATE "C" NOT NULL,
    goal_id BIGINT NOT NULL,
    todo_id BIGINT NOT NULL,
    PRIMARY KEY (user_id, goal_id, todo_id)
);

CREATE TABLE goal_event_items (
    user_id  TEXT COLLATE "C" NOT NULL,
    goal_id  BIGINT NOT NULL,
    event_id BIGINT NOT NULL,
    PRIMARY KEY (user_id, goal_id, event_id)
);

CREATE TABLE goal_hierarchy (
    user_id  TEXT COLLATE "C" NOT NULL,
    goal_id  BIGINT NOT NULL,
    child_id BIGINT NOT NULL CHECK (child_id <> goal_id),
    PRIMARY KEY (user_id, goal_id, child_id)
);

-- Batches of operations that were applied, with the records they changed as they were before and after.
CREATE TABLE operation_batches (
    id              TEXT COLLATE "C" PRIMARY KEY,
    user_id         TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    version         BIGINT NOT NULL,
    operations_json TEXT NOT NULL CHECK (operations_json::json IS NOT NULL),
    before_json     TEXT NOT NULL CHECK (before_json::json IS NOT NULL),
    after_json      TEXT NOT NULL CHECK (after_json::json IS NOT NULL),
    applied_at      BIGINT NOT NULL,
    undone_at       BIGINT,
    UNIQUE (user_id, version)
);

CREATE TABLE audit_log (
    user_id        TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    version        BIGINT NOT NULL,
    position       BIGINT NOT NULL,
    action         TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL CHECK (kind IN ('todo', 'event', 'habit', 'goal')),
    record_id      BIGINT NOT NULL,
    batch_id       TEXT COLLATE "C" NOT NULL REFERENCES operation_batches (id),
    operation_json TEXT NOT NULL CHECK (operation_json::json IS NOT NULL),
    at             BIGINT NOT NULL,
    PRIMARY KEY (user_id, version, position)
);

-- Answers to requests that named a key: for 24 hours the same request gets the same answer. Keys and requests are kept as SHA-256.
CREATE TABLE idempotency (
    user_id        TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    key_sha256     TEXT COLLATE "C" NOT NULL,
    request_sha256 TEXT COLLATE "C" NOT NULL,
    response       TEXT NOT NULL,
    answered_at    BIGINT NOT NULL,
    PRIMARY KEY (user_id, key_sha256)
);
CREATE INDEX idempotency_by_time ON idempotency (answered_at);
