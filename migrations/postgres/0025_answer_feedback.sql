-- What users say of answers to their questions. docs/OPERATING.md tells operators what each column means.

CREATE TABLE answer_feedback (
    user_id  TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    question TEXT COLLATE "C" NOT NULL,
    answer   TEXT,
    is_right BIGINT NOT NULL CHECK (is_right IN (0, 1)),
    given_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, question)
);
