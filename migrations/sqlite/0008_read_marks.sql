-- What was read in another reader is a saying, too.
-- docs/OPERATING.md tells operators what each column means.

CREATE TABLE new_feedback_events (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    topic_id   TEXT NOT NULL REFERENCES topics (id),
    item_id    TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('like', 'dislike', 'save', 'skip', 'read')),
    title      TEXT NOT NULL,
    source     TEXT NOT NULL,
    author     TEXT,
    terms_json TEXT NOT NULL CHECK (json_valid(terms_json)),
    given_at   INTEGER NOT NULL,
    UNIQUE (user_id, topic_id, item_id, kind)
) STRICT;
INSERT INTO new_feedback_events SELECT * FROM feedback_events;
DROP TABLE feedback_events;
ALTER TABLE new_feedback_events RENAME TO feedback_events;
