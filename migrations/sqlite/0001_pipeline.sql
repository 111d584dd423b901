-- The rows of the pipeline, from sources to digests. docs/OPERATING.md tells operators what each column means.
-- Times are milliseconds since 1970-01-01T00:00:00Z; the views show them as text. Ids are UUIDs in lower-case text.

CREATE TABLE users (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE topics (
    id               TEXT PRIMARY KEY,
    user_id          TEXT NOT NULL REFERENCES users (id),
    name             TEXT NOT NULL UNIQUE,
    schedule         TEXT,
    timezone         TEXT,
    interests        TEXT NOT NULL DEFAULT '',
    rules_json       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(rules_json)),
    budget_tier      TEXT CHECK (budget_tier IN ('low', 'normal', 'high')),
    depth            INTEGER NOT NULL DEFAULT 50 CHECK (depth BETWEEN 0 AND 100),
    decay_hours      REAL NOT NULL DEFAULT 48 CHECK (decay_hours > 0),
    cursor_end       INTEGER,
    next_run_at      INTEGER,
    lease_holder     TEXT,
    lease_token      INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    created_at       INTEGER NOT NULL,
    CHECK ((lease_holder IS NULL) = (lease_expires_at IS NULL))
) STRICT;

CREATE TABLE sources (
    id                   TEXT PRIMARY KEY,
    topic_id             TEXT NOT NULL REFERENCES topics (id),
    kind                 TEXT NOT NULL,
    url                  TEXT NOT NULL,
    title                TEXT,
    enabled              INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    weight               REAL NOT NULL DEFAULT 1 CHECK (weight BETWEEN 0.1 AND 3),
    health               TEXT NOT NULL DEFAULT 'new' CHECK (health IN ('new', 'ok', 'failing', 'gone')),
    consecutive_failures INTEGER NOT NULL DEFAULT 0,
    last_error_kind      TEXT,
    last_error           TEXT,
    last_fetched_at      INTEGER,
    last_ok_at           INTEGER,
    not_before           INTEGER,
    validator_url        TEXT,
    etag                 TEXT,
    last_modified        TEXT,
    created_at           INTEGER NOT NULL,
    UNIQUE (topic_id, url)
) STRICT;

CREATE TABLE runs (
    id            TEXT PRIMARY KEY,
    topic_id      TEXT NOT NULL REFERENCES topics (id),
    mode          TEXT NOT NULL CHECK (mode IN ('cursor', 'window')),
    window_start  INTEGER NOT NULL,
    window_end    INTEGER NOT NULL,
    status        TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'done')),
    stage         TEXT,
    pass_attempt  INTEGER NOT NULL DEFAULT 1,
    settings_json TEXT NOT NULL CHECK (json_valid(settings_json)),
    snapshot_at   INTEGER,
    created_at    INTEGER NOT NULL,
    finished_at   INTEGER,
    UNIQUE (topic_id, mode, window_start, window_end),
    CHECK (window_start <= window_end),
    CHECK ((status = 'done') = (finished_at IS NOT NULL))
) STRICT;

CREATE TABLE run_attempts (
    run_id      TEXT NOT NULL REFERENCES runs (id),
    attempt     INTEGER NOT NULL,
    holder      TEXT NOT NULL,
    lease_token INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER,
    outcome     TEXT NOT NULL DEFAULT 'running' CHECK (outcome IN ('running', 'done', 'failed', 'interrupted', 'lost')),
    stage       TEXT,
    error       TEXT,
    PRIMARY KEY (run_id, attempt)
) STRICT;

CREATE TABLE fetch_runs (
    id            TEXT PRIMARY KEY,
    run_id        TEXT NOT NULL REFERENCES runs (id),
    attempt       INTEGER NOT NULL,
    source_id     TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    status        TEXT NOT NULL CHECK (status IN ('ok', 'not_modified', 'waiting', 'error')),
    error_kind    TEXT,
    error         TEXT,
    http_status   INTEGER,
    items_seen    INTEGER NOT NULL DEFAULT 0,
    items_new     INTEGER NOT NULL DEFAULT 0,
    items_updated INTEGER NOT NULL DEFAULT 0,
    bytes         INTEGER NOT NULL DEFAULT 0,
    started_at    INTEGER NOT NULL,
    finished_at   INTEGER NOT NULL,
    CHECK ((status = 'error') = (error_kind IS NOT NULL))
) STRICT;
CREATE INDEX fetch_runs_by_run ON fetch_runs (run_id, source_id, attempt);

CREATE TABLE content_items (
    id            TEXT PRIMARY KEY,
    source_id     TEXT NOT NULL,
    external_id   TEXT NOT NULL,
    url           TEXT,
    canonical_url TEXT,
    hash_url      TEXT,
    hash_text     TEXT NOT NULL,
    title         TEXT,
    body_text     TEXT NOT NULL DEFAULT '',
    author        TEXT,
    published_at  INTEGER,
    fetched_at    INTEGER NOT NULL,
    item_time     INTEGER NOT NULL,
    time_basis    TEXT NOT NULL CHECK (time_basis IN ('published', 'fetched')),
    engagement    TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(engagement)),
    metadata_json TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata_json)),
    duplicate_of  TEXT REFERENCES content_items (id),
    deleted_at    INTEGER
) STRICT;
CREATE INDEX content_items_by_url ON content_items (hash_url) WHERE hash_url IS NOT NULL;
CREATE INDEX content_items_by_time ON content_items (item_time);

CREATE TABLE content_item_sources (
    source_id     TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    external_id   TEXT NOT NULL,
    item_id       TEXT NOT NULL REFERENCES content_items (id),
    url           TEXT,
    first_seen_at INTEGER NOT NULL,
    PRIMARY KEY (source_id, external_id)
) STRICT;
CREATE INDEX content_item_sources_by_item ON content_item_sources (item_id);

CREATE TABLE topic_items (
    topic_id TEXT NOT NULL REFERENCES topics (id),
    item_id  TEXT NOT NULL REFERENCES content_items (id),
    run_id   TEXT REFERENCES runs (id),
    state    TEXT NOT NULL CHECK (state IN ('assigned', 'seen')),
    PRIMARY KEY (topic_id, item_id),
    CHECK ((state = 'assigned') = (run_id IS NOT NULL))
) STRICT;
CREATE INDEX topic_items_by_run ON topic_items (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE embeddings (
    item_id      TEXT NOT NULL REFERENCES content_items (id),
    space        TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    dimensions   INTEGER,
    vector       BLOB NOT NULL,
    PRIMARY KEY (item_id, space)
) STRICT;

CREATE TABLE clusters (
    id                     TEXT PRIMARY KEY,
    topic_id               TEXT NOT NULL REFERENCES topics (id),
    representative_item_id TEXT NOT NULL REFERENCES content_items (id),
    merged_into            TEXT REFERENCES clusters (id),
    delivered_at           INTEGER,
    delivered_run_id       TEXT REFERENCES runs (id),
    delivered_sources      INTEGER,
    CHECK ((delivered_at IS NULL) = (delivered_sources IS NULL))
) STRICT;

CREATE TABLE cluster_items (
    topic_id   TEXT NOT NULL REFERENCES topics (id),
    item_id    TEXT NOT NULL REFERENCES content_items (id),
    cluster_id TEXT NOT NULL REFERENCES clusters (id),
    similarity REAL NOT NULL,
    PRIMARY KEY (topic_id, item_id)
) STRICT;
CREATE INDEX cluster_items_by_cluster ON cluster_items (cluster_id);

CREATE TABLE provider_calls (
    id                    TEXT PRIMARY KEY,
    run_id                TEXT REFERENCES runs (id),
    purpose               TEXT NOT NULL,
    provider              TEXT NOT NULL,
    model                 TEXT NOT NULL,
    prompt_id             TEXT NOT NULL,
    attempt               INTEGER NOT NULL,
    state                 TEXT NOT NULL CHECK (state IN ('reserved', 'ok', 'error', 'unsettled')),
    error_kind            TEXT,
    error                 TEXT,
    input_tokens          INTEGER,
    cached_input_tokens   INTEGER,
    output_tokens         INTEGER,
    reasoning_tokens      INTEGER,
    reserved_microcredits INTEGER,
    cost_microcredits     INTEGER,
    latency_ms            INTEGER,
    request_id            TEXT,
    started_at            INTEGER NOT NULL,
    finished_at           INTEGER,
    CHECK ((state = 'error') = (error_kind IS NOT NULL))
) STRICT;
CREATE INDEX provider_calls_by_run ON provider_calls (run_id);

CREATE TABLE answers (
    task             TEXT NOT NULL,
    tier             TEXT NOT NULL CHECK (tier IN ('low', 'normal', 'high')),
    prompt_id        TEXT NOT NULL,
    schema_version   TEXT NOT NULL,
    fingerprint      TEXT NOT NULL,
    provider         TEXT NOT NULL,
    model            TEXT NOT NULL,
    input_hash       TEXT NOT NULL,
    answer_json      TEXT NOT NULL CHECK (json_valid(answer_json)),
    members_json     TEXT NOT NULL CHECK (json_valid(members_json)),
    provider_call_id TEXT NOT NULL REFERENCES provider_calls (id),
    answered_at      INTEGER NOT NULL,
    PRIMARY KEY (task, tier, prompt_id, schema_version, fingerprint)
) STRICT;

CREATE TABLE digests (
    id           TEXT PRIMARY KEY,
    run_id       TEXT NOT NULL UNIQUE REFERENCES runs (id),
    topic_id     TEXT NOT NULL REFERENCES topics (id),
    status       TEXT NOT NULL CHECK (status IN ('complete', 'partial', 'quiet')),
    window_start INTEGER NOT NULL,
    window_end   INTEGER NOT NULL,
    head_json    TEXT NOT NULL CHECK (json_valid(head_json)),
    sources_json TEXT NOT NULL CHECK (json_valid(sources_json)),
    skipped_json TEXT NOT NULL CHECK (json_valid(skipped_json)),
    cost_json    TEXT NOT NULL CHECK (json_valid(cost_json)),
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX digests_by_topic ON digests (topic_id, window_end);

CREATE TABLE digest_items (
    id               TEXT PRIMARY KEY,
    digest_id        TEXT NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    rank             INTEGER NOT NULL CHECK (rank >= 1),
    section          TEXT NOT NULL CHECK (section IN ('top', 'scan')),
    label            TEXT NOT NULL CHECK (label IN ('told_by_several', 'your_words', 'rare_voices', 'new_here')),
    cluster_id       TEXT REFERENCES clusters (id),
    content_item_id  TEXT REFERENCES content_items (id),
    title            TEXT NOT NULL,
    url              TEXT,
    aha_score        INTEGER CHECK (aha_score BETWEEN 0 AND 100),
    final_score      REAL NOT NULL,
    percentile       INTEGER NOT NULL CHECK (percentile BETWEEN 0 AND 100),
    reason           TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('judged', 'failed', 'skipped_budget')),
    triage_json      TEXT CHECK (triage_json IS NULL OR json_valid(triage_json)),
    summary_json     TEXT CHECK (summary_json IS NULL OR json_valid(summary_json)),
    entities_json    TEXT CHECK (entities_json IS NULL OR json_valid(entities_json)),
    score_debug_json TEXT NOT NULL CHECK (json_valid(score_debug_json)),
    members_json     TEXT NOT NULL CHECK (json_valid(members_json)),
    detail_json      TEXT NOT NULL CHECK (json_valid(detail_json)),
    UNIQUE (digest_id, rank),
    CHECK ((cluster_id IS NULL) <> (content_item_id IS NULL)),
    CHECK ((state = 'judged') = (triage_json IS NOT NULL)),
    CHECK ((triage_json IS NULL) = (aha_score IS NULL))
) STRICT;

-- The stories of each topic's newest digest, as an operator reads them.
CREATE VIEW digest_latest AS
SELECT t.name AS topic,
       strftime('%Y-%m-%dT%H:%M:%SZ', d.window_end / 1000, 'unixepoch') AS window_end,
       i.rank, i.section, i.label, i.aha_score, i.final_score, i.title, i.url, i.reason, i.id AS digest_item_id
FROM digest_items i
JOIN digests d ON d.id = i.digest_id
JOIN topics t ON t.id = d.topic_id
WHERE d.id = (SELECT n.id FROM digests n WHERE n.topic_id = d.topic_id
              ORDER BY n.window_end DESC, n.window_start DESC, n.id LIMIT 1);

-- One line a source: how it is, since when, and what it brought.
CREATE VIEW source_health AS
SELECT t.name AS topic, s.title, s.url, s.enabled, s.health, s.consecutive_failures, s.last_error_kind, s.last_error,
       strftime('%Y-%m-%dT%H:%M:%SZ', s.last_fetched_at / 1000, 'unixepoch') AS last_fetched_at,
       strftime('%Y-%m-%dT%H:%M:%SZ', s.last_ok_at / 1000, 'unixepoch') AS last_ok_at,
       (SELECT count(*) FROM content_item_sources c WHERE c.source_id = s.id) AS items
FROM sources s
JOIN topics t ON t.id = s.topic_id;

-- What was spent, by UTC day and by purpose, in micro-credits; unsettled calls count at their reservation.
CREATE VIEW spend_by_day AS
SELECT strftime('%Y-%m-%d', started_at / 1000, 'unixepoch') AS day, count(*) AS calls,
       sum(coalesce(cost_microcredits, reserved_microcredits, 0)) AS microcredits,
       sum(CASE WHEN state = 'unsettled' THEN 1 ELSE 0 END) AS unsettled
FROM provider_calls
GROUP BY 1;

CREATE VIEW spend_by_purpose AS
SELECT purpose, provider, model, count(*) AS calls,
       sum(coalesce(cost_microcredits, reserved_microcredits, 0)) AS microcredits,
       sum(CASE WHEN state = 'unsettled' THEN 1 ELSE 0 END) AS unsettled
FROM provider_calls
GROUP BY 1, 2, 3;
