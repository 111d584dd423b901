-- Operations that change nothing belong to no batch, and are audited too.
-- docs/OPERATING.md tells operators what each column means.

CREATE TABLE old_audit_log AS SELECT * FROM audit_log;
DROP TABLE audit_log;
CREATE TABLE audit_log (
    user_id        TEXT NOT NULL REFERENCES users (id),
    version        INTEGER NOT NULL,
    position       INTEGER NOT NULL,
    action         TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('todo', 'event', 'habit', 'goal')),
    record_id      INTEGER NOT NULL,
    batch_id       TEXT REFERENCES operation_batches (id),
    operation_json TEXT NOT NULL CHECK (json_valid(operation_json)),
    at             INTEGER NOT NULL,
    PRIMARY KEY (user_id, version, position)
) STRICT;
INSERT INTO audit_log SELECT * FROM old_audit_log;
DROP TABLE old_audit_log;
