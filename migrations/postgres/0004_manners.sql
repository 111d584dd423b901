-- What migrations/sqlite/0004_manners.sql makes, on Postgres.

ALTER TABLE sources ADD COLUMN next_check_at BIGINT;
ALTER TABLE sources ADD COLUMN check_interval_ms BIGINT CHECK (check_interval_ms > 0);
ALTER TABLE sources ADD COLUMN full_text BIGINT NOT NULL DEFAULT 0 CHECK (full_text IN (0, 1));
