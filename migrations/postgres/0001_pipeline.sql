-- The rows of the pipeline, from sources to digests: what migrations/sqlite/0001_pipeline.sql makes, on Postgres.
-- docs/OPERATING.md tells operators what each column means.
-- Times are milliseconds since 1970-01-01T00:00:00Z; the views show them as text. Ids are UUIDs in lower-case text.
-- COLLATE "C" compares and orders text by its bytes, as SQLite does. JSON stays the text that was written, so that it reads
-- back the same; casting it checks it. (json rather than jsonb: as SQLite, it takes any escape.) SQLite keeps no NaN.

CREATE TABLE users (
    id         TEXT COLLATE "C" PRIMARY KEY,
    name       TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

CREATE TABLE topics (
    id               TEXT COLLATE "C" PRIMARY KEY,
    user_id          TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    name             TEXT COLLATE "C" NOT NULL UNIQUE,
    schedule         TEXT COLLATE "C",
    timezone         TEXT COLLATE "C",
    interests        TEXT COLLATE "C" NOT NULL DEFAULT '',
    rules_json       TEXT NOT NULL DEFAULT '[]' CHECK (rules_json::json IS NOT NULL),
    budget_tier      TEXT COLLATE "C" CHECK (budget_tier IN ('low', 'normal', 'high')),
    depth            BIGINT NOT NULL DEFAULT 50 CHECK (depth BETWEEN 0 AND 100),
    decay_hours      DOUBLE PRECISION NOT NULL DEFAULT 48 CHECK (decay_hours > 0 AND decay_hours <> 'NaN'),
    cursor_end       BIGINT,
    next_run_at      BIGINT,
    lease_holder     TEXT COLLATE "C",
    lease_token      BIGINT NOT NULL DEFAULT 0,
    lease_expires_at BIGINT,
    created_at       BIGINT NOT NULL,
    CHECK ((lease_holder IS NULL) = (lease_expires_at IS NULL))
);

CREATE TABLE sources (
    id                   TEXT COLLATE "C" PRIMARY KEY,
    topic_id             TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    kind                 TEXT COLLATE "C" NOT NULL,
    url                  TEXT COLLATE "C" NOT NULL,
    title                TEXT COLLATE "C",
    enabled              BIGINT NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    weight               DOUBLE PRECISION NOT NULL DEFAULT 1 CHECK (weight BETWEEN 0.1 AND 3),
    health               TEXT COLLATE "C" NOT NULL DEFAULT 'new' CHECK (health IN ('new', 'ok', 'failing', 'gone')),
    consecutive_failures BIGINT NOT NULL DEFAULT 0,
    last_error_kind      TEXT COLLATE "C",
    last_error           TEXT COLLATE "C",
    last_fetched_at      BIGINT,
    last_ok_at           BIGINT,
    not_before           BIGINT,
    validator_url        TEXT COLLATE "C",
    etag                 TEXT COLLATE "C",
    last_modified        TEXT COLLATE "C",
    created_at           BIGINT NOT NULL
);
-- A B-tree takes 2.7 kB at most, and addresses may be longer.
CREATE UNIQUE INDEX sources_unique ON sources (topic_id, md5(url));

CREATE TABLE runs (
    id            TEXT COLLATE "C" PRIMARY KEY,
    topic_id      TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    mode          TEXT COLLATE "C" NOT NULL CHECK (mode IN ('cursor', 'window')),
    window_start  BIGINT NOT NULL,
    window_end    BIGINT NOT NULL,
    status        TEXT COLLATE "C" NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'done')),
    stage         TEXT COLLATE "C",
    pass_attempt  BIGINT NOT NULL DEFAULT 1,
    settings_json TEXT NOT NULL CHECK (settings_json::json IS NOT NULL),
    snapshot_at   BIGINT,
    created_at    BIGINT NOT NULL,
    finished_at   BIGINT,
    UNIQUE (topic_id, mode, window_start, window_end),
    CHECK (window_start <= window_end),
    CHECK ((status = 'done') = (finished_at IS NOT NULL))
);

CREATE TABLE run_attempts (
    run_id      TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
    attempt     BIGINT NOT NULL,
    holder      TEXT COLLATE "C" NOT NULL,
    lease_token BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    finished_at BIGINT,
    outcome     TEXT COLLATE "C" NOT NULL DEFAULT 'running' CHECK (outcome IN ('running', 'done', 'failed', 'interrupted', 'lost')),
    stage       TEXT COLLATE "C",
    error       TEXT COLLATE "C",
    PRIMARY KEY (run_id, attempt)
);

CREATE TABLE fetch_runs (
    id            TEXT COLLATE "C" PRIMARY KEY,
    run_id        TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
    attempt       BIGINT NOT NULL,
    source_id     TEXT COLLATE "C" NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    status        TEXT COLLATE "C" NOT NULL CHECK (status IN ('ok', 'not_modified', 'waiting', 'error')),
    error_kind    TEXT COLLATE "C",
    error         TEXT COLLATE "C",
    http_status   BIGINT,
    items_seen    BIGINT NOT NULL DEFAULT 0,
    items_new     BIGINT NOT NULL DEFAULT 0,
    items_updated BIGINT NOT NULL DEFAULT 0,
    bytes         BIGINT NOT NULL DEFAULT 0,
    started_at    BIGINT NOT NULL,
    finished_at   BIGINT NOT NULL,
    CHECK ((status = 'error') = (error_kind IS NOT NULL))
);
CREATE INDEX fetch_runs_by_run ON fetch_runs (run_id, source_id, attempt);

CREATE TABLE content_items (
    id            TEXT COLLATE "C" PRIMARY KEY,
    source_id     TEXT COLLATE "C" NOT NULL,
    external_id   TEXT COLLATE "C" NOT NULL,
    url           TEXT COLLATE "C",
    canonical_url TEXT COLLATE "C",
    hash_url      TEXT COLLATE "C",
    hash_text     TEXT COLLATE "C" NOT NULL,
    title         TEXT COLLATE "C",
    body_text     TEXT COLLATE "C" NOT NULL DEFAULT '',
    author        TEXT COLLATE "C",
    published_at  BIGINT,
    fetched_at    BIGINT NOT NULL,
    item_time     BIGINT NOT NULL,
    time_basis    TEXT COLLATE "C" NOT NULL CHECK (time_basis IN ('published', 'fetched')),
    engagement    TEXT NOT NULL DEFAULT '{}' CHECK (engagement::json IS NOT NULL),
    metadata_json TEXT NOT NULL DEFAULT '{}' CHECK (metadata_json::json IS NOT NULL),
    duplicate_of  TEXT COLLATE "C" REFERENCES content_items (id),
    deleted_at    BIGINT
);
CREATE INDEX content_items_by_url ON content_items (hash_url) WHERE hash_url IS NOT NULL;
CREATE INDEX content_items_by_time ON content_items (item_time);

CREATE TABLE content_item_sources (
    source_id     TEXT COLLATE "C" NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    external_id   TEXT COLLATE "C" NOT NULL,
    item_id       TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    url           TEXT COLLATE "C",
    first_seen_at BIGINT NOT NULL
);
-- A B-tree takes 2.7 kB at most and feeds write longer identifiers: unique by their digest, found by their hash.
CREATE UNIQUE INDEX content_item_sources_unique ON content_item_sources (source_id, md5(external_id));
CREATE INDEX content_item_sources_by_external_id ON content_item_sources USING hash (external_id);
CREATE INDEX content_item_sources_by_item ON content_item_sources (item_id);

CREATE TABLE topic_items (
    topic_id TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    item_id  TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    run_id   TEXT COLLATE "C" REFERENCES runs (id),
    state    TEXT COLLATE "C" NOT NULL CHECK (state IN ('assigned', 'seen')),
    PRIMARY KEY (topic_id, item_id),
    CHECK ((state = 'assigned') = (run_id IS NOT NULL))
);
CREATE INDEX topic_items_by_run ON topic_items (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE embeddings (
    item_id      TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    space        TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    dimensions   BIGINT,
    vector       BYTEA NOT NULL,
    PRIMARY KEY (item_id, space)
);

CREATE TABLE clusters (
    id                     TEXT COLLATE "C" PRIMARY KEY,
    topic_id               TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    representative_item_id TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    merged_into            TEXT COLLATE "C" REFERENCES clusters (id),
    delivered_at           BIGINT,
    delivered_run_id       TEXT COLLATE "C" REFERENCES runs (id),
    delivered_sources      BIGINT,
    CHECK ((delivered_at IS NULL) = (delivered_sources IS NULL))
);

CREATE TABLE cluster_items (
    topic_id   TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    item_id    TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    cluster_id TEXT COLLATE "C" NOT NULL REFERENCES clusters (id),
    similarity DOUBLE PRECISION NOT NULL CHECK (similarity <> 'NaN'),
    PRIMARY KEY (topic_id, item_id)
);
CREATE INDEX cluster_items_by_cluster ON cluster_items (cluster_id);

CREATE TABLE provider_calls (
    id                    TEXT COLLATE "C" PRIMARY KEY,
    run_id                TEXT COLLATE "C" REFERENCES runs (id),
    purpose               TEXT COLLATE "C" NOT NULL,
    provider              TEXT COLLATE "C" NOT NULL,
    model                 TEXT COLLATE "C" NOT NULL,
    prompt_id             TEXT COLLATE "C" NOT NULL,
    attempt               BIGINT NOT NULL,
    state                 TEXT COLLATE "C" NOT NULL CHECK (state IN ('reserved', 'ok', 'error', 'unsettled')),
    error_kind            TEXT COLLATE "C",
    error                 TEXT COLLATE "C",
    input_tokens          BIGINT,
    cached_input_tokens   BIGINT,
    output_tokens         BIGINT,
    reasoning_tokens      BIGINT,
    reserved_microcredits BIGINT,
    cost_microcredits     BIGINT,
    latency_ms            BIGINT,
    request_id            TEXT COLLATE "C",
    started_at            BIGINT NOT NULL,
    finished_at           BIGINT,
    CHECK ((state = 'error') = (error_kind IS NOT NULL))
);
CREATE INDEX provider_calls_by_run ON provider_calls (run_id);

CREATE TABLE answers (
    task             TEXT COLLATE "C" NOT NULL,
    tier             TEXT COLLATE "C" NOT NULL CHECK (tier IN ('low', 'normal', 'high')),
    prompt_id        TEXT COLLATE "C" NOT NULL,
    schema_version   TEXT COLLATE "C" NOT NULL,
    fingerprint      TEXT COLLATE "C" NOT NULL,
    provider         TEXT COLLATE "C" NOT NULL,
    model            TEXT COLLATE "C" NOT NULL,
    input_hash       TEXT COLLATE "C" NOT NULL,
    answer_json      TEXT NOT NULL CHECK (answer_json::json IS NOT NULL),
    members_json     TEXT NOT NULL CHECK (members_json::json IS NOT NULL),
    provider_call_id TEXT COLLATE "C" NOT NULL REFERENCES provider_calls (id),
    answered_at      BIGINT NOT NULL,
    PRIMARY KEY (task, tier, prompt_id, schema_version, fingerprint)
);

CREATE TABLE digests (
    id           TEXT COLLATE "C" PRIMARY KEY,
    run_id       TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES runs (id),
    topic_id     TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    status       TEXT COLLATE "C" NOT NULL CHECK (status IN ('complete', 'partial', 'quiet')),
    window_start BIGINT NOT NULL,
    window_end   BIGINT NOT NULL,
    head_json    TEXT NOT NULL CHECK (head_json::json IS NOT NULL),
    sources_json TEXT NOT NULL CHECK (sources_json::json IS NOT NULL),
    skipped_json TEXT NOT NULL CHECK (skipped_json::json IS NOT NULL),
    cost_json    TEXT NOT NULL CHECK (cost_json::json IS NOT NULL),
    created_at   BIGINT NOT NULL
);
CREATE INDEX digests_by_topic ON digests (topic_id, window_end);

CREATE TABLE digest_items (
    id               TEXT COLLATE "C" PRIMARY KEY,
    digest_id        TEXT COLLATE "C" NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    rank             BIGINT NOT NULL CHECK (rank >= 1),
    section          TEXT COLLATE "C" NOT NULL CHECK (section IN ('top', 'scan')),
    label            TEXT COLLATE "C" NOT NULL CHECK (label IN ('told_by_several', 'your_words', 'rare_voices', 'new_here')),
    cluster_id       TEXT COLLATE "C" REFERENCES clusters (id),
    content_item_id  TEXT COLLATE "C" REFERENCES content_items (id),
    title            TEXT COLLATE "C" NOT NULL,
    url              TEXT COLLATE "C",
    aha_score        BIGINT CHECK (aha_score BETWEEN 0 AND 100),
    final_score      DOUBLE PRECISION NOT NULL CHECK (final_score <> 'NaN'),
    percentile       BIGINT NOT NULL CHECK (percentile BETWEEN 0 AND 100),
    reason           TEXT COLLATE "C" NOT NULL,
    state            TEXT COLLATE "C" NOT NULL CHECK (state IN ('judged', 'failed', 'skipped_budget')),
    triage_json      TEXT CHECK (triage_json IS NULL OR triage_json::json IS NOT NULL),
    summary_json     TEXT CHECK (summary_json IS NULL OR summary_json::json IS NOT NULL),
    entities_json    TEXT CHECK (entities_json IS NULL OR entities_json::json IS NOT NULL),
    score_debug_json TEXT NOT NULL CHECK (score_debug_json::json IS NOT NULL),
    members_json     TEXT NOT NULL CHECK (members_json::json IS NOT NULL),
    detail_json      TEXT NOT NULL CHECK (detail_json::json IS NOT NULL),
    UNIQUE (digest_id, rank),
    CHECK ((cluster_id IS NULL) <> (content_item_id IS NULL)),
    CHECK ((state = 'judged') = (triage_json IS NOT NULL)),
    CHECK ((triage_json IS NULL) = (aha_score IS NULL))
);

-- The stories of each topic's newest digest, as an operator reads them.
CREATE VIEW digest_latest AS
SELECT t.name AS topic,
       to_char(to_timestamp(d.window_end / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS window_end,
       i.rank, i.section, i.label, i.aha_score, i.final_score, i.title, i.url, i.reason, i.id AS digest_item_id
FROM digest_items i
JOIN digests d ON d.id = i.digest_id
JOIN topics t ON t.id = d.topic_id
WHERE d.id = (SELECT n.id FROM digests n WHERE n.topic_id = d.topic_id
              ORDER BY n.window_end DESC, n.window_start DESC, n.id LIMIT 1);

-- One line a source: how it is, since when, and what it brought.
CREATE VIEW source_health AS
SELECT t.name AS topic, s.title, s.url, s.enabled, s.health, s.consecutive_failures, s.last_error_kind, s.last_error,
       to_char(to_timestamp(s.last_fetched_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS last_fetched_at,
       to_char(to_timestamp(s.last_ok_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS last_ok_at,
       (SELECT count(*) FROM content_item_sources c WHERE c.source_id = s.id) AS items
FROM sources s
JOIN topics t ON t.id = s.topic_id;

-- What was spent, by UTC day and by purpose, in micro-credits; unsettled calls count at their reservation.
CREATE VIEW spend_by_day AS
SELECT to_char(to_timestamp(started_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*) AS calls,
       CAST(sum(coalesce(cost_microcredits, reserved_microcredits, 0)) AS BIGINT) AS microcredits,
       CAST(sum(CASE WHEN state = 'unsettled' THEN 1 ELSE 0 END) AS BIGINT) AS unsettled
FROM provider_calls
GROUP BY 1;

CREATE VIEW spend_by_purpose AS
SELECT purpose, provider, model, count(*) AS calls,
       CAST(sum(coalesce(cost_microcredits, reserved_microcredits, 0)) AS BIGINT) AS microcredits,
       CAST(sum(CASE WHEN state = 'unsettled' THEN 1 ELSE 0 END) AS BIGINT) AS unsettled
FROM provider_calls
GROUP BY 1, 2, 3;
