-- What users say of answers to their questions. docs/OPERATING.md tells operators what each column means.

CREATE TABLE answer_feedback (
    user_id  TEXT NOT NULL REFERENCES users (id),
    question TEXT NOT NULL,
    answer   TEXT,
    is_right INTEGER NOT NULL CHECK (is_right IN (0, 1)),
    given_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, question)
) STRICT;
