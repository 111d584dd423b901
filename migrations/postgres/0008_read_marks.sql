-- What was read in another reader is a saying, too.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE feedback_events DROP CONSTRAINT feedback_events_kind_check;
ALTER TABLE feedback_events ADD CONSTRAINT feedback_events_kind_check
    CHECK (kind IN ('like', 'dislike', 'save', 'skip', 'read'));
