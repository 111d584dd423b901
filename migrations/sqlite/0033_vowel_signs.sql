-- The terms are indexed exactly as the program writes them, between spaces: `unicode61` divided the words of Indic scripts
-- at their vowel signs. The index is empty until the daemon or `aha-radar reindex` has rebuilt it from the other tables;
-- `search` reports it until then. docs/OPERATING.md tells operators more.

DROP TABLE search_terms;
DROP TABLE search_index;
CREATE VIRTUAL TABLE search_index USING fts5 (
    title, body, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '+#'"
);
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search_index, row);
DELETE FROM search_entries;
