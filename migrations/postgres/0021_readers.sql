-- Feedback of several users, tokens by which feed readers read feeds, and what pages read of fetches and stories.
-- docs/OPERATING.md tells operators what each column means.

CREATE TABLE feed_tokens (
    user_id     TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id),
    fingerprint TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL
);

CREATE INDEX feedback_events_by_topic ON feedback_events (topic_id, given_at);
CREATE INDEX fetch_runs_by_source ON fetch_runs (source_id, started_at);
CREATE INDEX clusters_by_target ON clusters (merged_into) WHERE merged_into IS NOT NULL;
