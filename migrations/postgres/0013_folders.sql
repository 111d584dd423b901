-- What migrations/sqlite/0013_folders.sql makes, on Postgres.

ALTER TABLE sources ADD COLUMN folder_json TEXT COLLATE "C" CHECK (folder_json IS NULL OR folder_json::json IS NOT NULL);
