-- What migrations/sqlite/0012_first_fetch.sql makes, on Postgres.

ALTER TABLE content_item_sources ADD COLUMN catch_up_from BIGINT;
ALTER TABLE content_item_sources ADD COLUMN from_first_fetch BIGINT NOT NULL DEFAULT 0 CHECK (from_first_fetch IN (0, 1));
