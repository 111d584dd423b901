-- When each source wants to be asked again, and whether the pages that it links to are read.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE sources ADD COLUMN next_check_at INTEGER;
ALTER TABLE sources ADD COLUMN check_interval_ms INTEGER CHECK (check_interval_ms > 0);
ALTER TABLE sources ADD COLUMN full_text INTEGER NOT NULL DEFAULT 0 CHECK (full_text IN (0, 1));
