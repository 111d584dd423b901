-- The ledger of paid calls: on whose behalf each was made, until when it may be under way, what it is charged to; the counters
-- that caps are held against; corrections by hand; and what came of texts that the owner pasted.

ALTER TABLE provider_calls ADD COLUMN topic_id TEXT COLLATE "C" REFERENCES topics (id);
ALTER TABLE provider_calls ADD COLUMN stories BIGINT NOT NULL DEFAULT 1 CHECK (stories >= 0);
ALTER TABLE provider_calls ADD COLUMN degraded_from TEXT COLLATE "C" CHECK (degraded_from IN ('low', 'normal', 'high'));
ALTER TABLE provider_calls ADD COLUMN lease_token BIGINT;
ALTER TABLE provider_calls ADD COLUMN expires_at BIGINT;
ALTER TABLE provider_calls ADD COLUMN counters_json TEXT NOT NULL DEFAULT '[]' CHECK (counters_json::json IS NOT NULL);
CREATE INDEX provider_calls_by_time ON provider_calls (started_at);
CREATE INDEX provider_calls_open ON provider_calls (expires_at) WHERE state = 'reserved';

ALTER TABLE topics ADD COLUMN budget_share_percent BIGINT CHECK (budget_share_percent BETWEEN 1 AND 100);

CREATE TABLE budget_counters (
    counter               TEXT COLLATE "C" PRIMARY KEY,
    settled_microcredits  BIGINT NOT NULL DEFAULT 0,
    reserved_microcredits BIGINT NOT NULL DEFAULT 0 CHECK (reserved_microcredits >= 0),
    calls                 BIGINT NOT NULL DEFAULT 0 CHECK (calls >= 0)
);

CREATE TABLE budget_adjustments (
    id                TEXT COLLATE "C" PRIMARY KEY,
    provider_call_id  TEXT COLLATE "C" NOT NULL REFERENCES provider_calls (id),
    from_microcredits BIGINT,
    to_microcredits   BIGINT NOT NULL CHECK (to_microcredits >= 0),
    reason            TEXT COLLATE "C" NOT NULL,
    adjusted_at       BIGINT NOT NULL
);
CREATE INDEX budget_adjustments_by_call ON budget_adjustments (provider_call_id);

CREATE TABLE content_item_deep_reviews (
    content_item_id  TEXT COLLATE "C" PRIMARY KEY REFERENCES content_items (id),
    decision         TEXT COLLATE "C" NOT NULL CHECK (decision IN ('promoted', 'dropped')),
    summary_json     TEXT CHECK (summary_json IS NULL OR summary_json::json IS NOT NULL),
    provider_call_id TEXT COLLATE "C" REFERENCES provider_calls (id),
    decided_at       BIGINT NOT NULL,
    CHECK ((decision = 'promoted') = (summary_json IS NOT NULL))
);
