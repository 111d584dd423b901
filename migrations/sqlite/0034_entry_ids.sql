-- An id of the search index is never used again: `aha-radar reindex` gave all entries other ids from 1 on, and a server that
-- runs meanwhile holds vectors by these ids. docs/OPERATING.md tells operators more.

DROP TRIGGER content_items_emptied;
DROP TRIGGER documents_removed;

CREATE TABLE search_entries_numbered (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id       TEXT UNIQUE,
    document_id   TEXT,
    position      INTEGER,
    terms_version INTEGER NOT NULL DEFAULT 1,
    CHECK ((item_id IS NULL) = (document_id IS NOT NULL)),
    CHECK ((document_id IS NULL) = (position IS NULL))
) STRICT;
INSERT INTO search_entries_numbered (id, item_id, document_id, position, terms_version)
SELECT id, item_id, document_id, position, terms_version FROM search_entries ORDER BY id;
DROP TABLE search_entries;
ALTER TABLE search_entries_numbered RENAME TO search_entries;
CREATE UNIQUE INDEX search_entries_by_document ON search_entries (document_id, position) WHERE document_id IS NOT NULL;

CREATE TRIGGER content_items_emptied AFTER UPDATE OF deleted_at ON content_items
WHEN new.deleted_at IS NOT NULL AND old.deleted_at IS NULL
BEGIN
    DELETE FROM search_index WHERE rowid IN (SELECT id FROM search_entries WHERE item_id = new.id);
    DELETE FROM search_entries WHERE item_id = new.id;
END;

CREATE TRIGGER documents_removed BEFORE DELETE ON documents
BEGIN
    DELETE FROM search_index WHERE rowid IN (SELECT id FROM search_entries WHERE document_id = old.id);
    DELETE FROM search_entries WHERE document_id = old.id;
END;
