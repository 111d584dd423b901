-- Which version of the program's terms an entry of the search index has. Entries of before have accents in their terms;
-- `search` reports them until `aha-radar reindex` makes the index again. docs/OPERATING.md tells operators more.

ALTER TABLE search_entries ADD COLUMN terms_version INTEGER NOT NULL DEFAULT 1;
