-- Feedback on answers is unique by the hash of its question: a row of a B-tree holds about 2.7 kB, and 2,000 characters
-- may be more. docs/OPERATING.md tells operators what each column means.

ALTER TABLE answer_feedback DROP CONSTRAINT answer_feedback_pkey;
CREATE UNIQUE INDEX answer_feedback_unique ON answer_feedback (user_id, md5(question));
