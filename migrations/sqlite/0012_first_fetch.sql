-- How each source came to bring an item: what it could not give while it failed, and what it listed when it was first read.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE content_item_sources ADD COLUMN catch_up_from INTEGER;
ALTER TABLE content_item_sources ADD COLUMN from_first_fetch INTEGER NOT NULL DEFAULT 0 CHECK (from_first_fetch IN (0, 1));
