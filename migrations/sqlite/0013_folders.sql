-- The folder that a list of sources keeps a source in.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE sources ADD COLUMN folder_json TEXT CHECK (folder_json IS NULL OR json_valid(folder_json));
