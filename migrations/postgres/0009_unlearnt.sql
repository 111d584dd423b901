-- What the user does not want to be learnt from feedback: a word, a source or an author.
-- docs/OPERATING.md tells operators what each column means.

CREATE TABLE feedback_unlearnt (
    user_id     TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    topic_id    TEXT COLLATE "C" NOT NULL REFERENCES topics (id),
    name        TEXT COLLATE "C" NOT NULL,
    unlearnt_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, topic_id, name)
);
