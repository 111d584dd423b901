-- Operations that change nothing belong to no batch, and are audited too.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE audit_log ALTER COLUMN batch_id DROP NOT NULL;
