-- A state of stories that were not worth paying for, and what the owner liked.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE digest_items DROP CONSTRAINT digest_items_state_check;
ALTER TABLE digest_items ADD CONSTRAINT digest_items_state_check
    CHECK (state IN ('judged', 'failed', 'skipped_budget', 'skipped_noise'));

-- What an owner said of an item. It names the item without a reference: feedback outlives items and moves between databases.
CREATE TABLE feedback_events (
    id         TEXT COLLATE "C" PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    topic_id   TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    item_id    TEXT COLLATE "C" NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL CHECK (kind IN ('like', 'dislike', 'save', 'skip')),
    title      TEXT COLLATE "C" NOT NULL,
    source     TEXT COLLATE "C" NOT NULL,
    author     TEXT COLLATE "C",
    terms_json TEXT NOT NULL CHECK (terms_json::json IS NOT NULL),
    given_at   BIGINT NOT NULL,
    UNIQUE (user_id, topic_id, item_id, kind)
);

CREATE TABLE topic_preference_profiles (
    user_id      TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    topic_id     TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    profile_json TEXT NOT NULL CHECK (profile_json::json IS NOT NULL),
    summary      TEXT NOT NULL,
    events       BIGINT NOT NULL CHECK (events >= 0),
    computed_at  BIGINT NOT NULL,
    PRIMARY KEY (user_id, topic_id)
);
