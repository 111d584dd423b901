-- A state of stories that were not worth paying for, and what the owner liked.
-- docs/OPERATING.md tells operators what each column means.

DROP VIEW digest_latest;
CREATE TABLE new_digest_items (
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
    state            TEXT NOT NULL CHECK (state IN ('judged', 'failed', 'skipped_budget', 'skipped_noise')),
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
INSERT INTO new_digest_items SELECT * FROM digest_items;
DROP TABLE digest_items;
ALTER TABLE new_digest_items RENAME TO digest_items;
CREATE INDEX digest_items_by_cluster ON digest_items (cluster_id) WHERE cluster_id IS NOT NULL;
CREATE INDEX digest_items_by_item ON digest_items (content_item_id) WHERE content_item_id IS NOT NULL;

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

-- What an owner said of an item. It names the item without a reference: feedback outlives items and moves between databases.
CREATE TABLE feedback_events (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    topic_id   TEXT NOT NULL REFERENCES topics (id),
    item_id    TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('like', 'dislike', 'save', 'skip')),
    title      TEXT NOT NULL,
    source     TEXT NOT NULL,
    author     TEXT,
    terms_json TEXT NOT NULL CHECK (json_valid(terms_json)),
    given_at   INTEGER NOT NULL,
    UNIQUE (user_id, topic_id, item_id, kind)
) STRICT;

CREATE TABLE topic_preference_profiles (
    user_id      TEXT NOT NULL REFERENCES users (id),
    topic_id     TEXT NOT NULL REFERENCES topics (id),
    profile_json TEXT NOT NULL CHECK (json_valid(profile_json)),
    summary      TEXT NOT NULL,
    events       INTEGER NOT NULL CHECK (events >= 0),
    computed_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, topic_id)
) STRICT;
