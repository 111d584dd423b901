-- Documents of the owner's, and full-text search of items and documents. docs/OPERATING.md tells operators what each column means.
-- The tables search_* are an index: `aha-radar reindex` makes them again from the others, and a copy of the database leaves them out.

CREATE TABLE documents (
    id           TEXT PRIMARY KEY,
    source_id    TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    path         TEXT NOT NULL,
    name         TEXT NOT NULL,
    title        TEXT,
    content_hash TEXT NOT NULL,
    language     TEXT,
    dated_at     INTEGER NOT NULL,
    is_replaced  INTEGER NOT NULL DEFAULT 0 CHECK (is_replaced IN (0, 1)),
    read_at      INTEGER NOT NULL,
    UNIQUE (source_id, path)
) STRICT;

CREATE TABLE document_passages (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    section     TEXT NOT NULL,
    text        TEXT NOT NULL,
    PRIMARY KEY (document_id, position)
) STRICT;

-- What an entry of the index is: an item, or a passage of a document. The terms are stems, made by the program.
CREATE TABLE search_entries (
    id          INTEGER PRIMARY KEY,
    item_id     TEXT UNIQUE,
    document_id TEXT,
    position    INTEGER,
    CHECK ((item_id IS NULL) = (document_id IS NOT NULL)),
    CHECK ((document_id IS NULL) = (position IS NULL))
) STRICT;
CREATE UNIQUE INDEX search_entries_by_document ON search_entries (document_id, position) WHERE document_id IS NOT NULL;

CREATE VIRTUAL TABLE search_index USING fts5 (
    title, body, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 tokenchars '+#'"
);
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search_index, row);

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
