-- What migrations/sqlite/0005_markup.sql makes, on Postgres.

ALTER TABLE content_items ADD COLUMN html TEXT COLLATE "C";

CREATE INDEX content_items_by_text ON content_items (source_id, hash_text) WHERE hash_url IS NULL;
