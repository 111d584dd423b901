-- Documents of the owner's, and full-text search of items and documents. docs/OPERATING.md tells operators what each column means.
-- The table search_entries is an index: `aha-radar reindex` makes it again from the others, and a copy of the database leaves it out.

CREATE TABLE documents (
    id           TEXT COLLATE "C" PRIMARY KEY,
    source_id    TEXT COLLATE "C" NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    path         TEXT COLLATE "C" NOT NULL,
    name         TEXT COLLATE "C" NOT NULL,
    title        TEXT COLLATE "C",
    content_hash TEXT COLLATE "C" NOT NULL,
    language     TEXT COLLATE "C",
    dated_at     BIGINT NOT NULL,
    is_replaced  BIGINT NOT NULL DEFAULT 0 CHECK (is_replaced IN (0, 1)),
    read_at      BIGINT NOT NULL
);
CREATE INDEX documents_by_source ON documents (source_id);

CREATE TABLE document_passages (
    document_id TEXT COLLATE "C" NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position    BIGINT NOT NULL,
    section     TEXT COLLATE "C" NOT NULL,
    text        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (document_id, position)
);

-- What an entry of the index is: an item, or a passage of a document. The terms are stems, made by the program.
CREATE TABLE search_entries (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id     TEXT COLLATE "C" UNIQUE,
    document_id TEXT COLLATE "C" REFERENCES documents (id) ON DELETE CASCADE,
    position    BIGINT,
    terms       TSVECTOR NOT NULL,
    CHECK ((item_id IS NULL) = (document_id IS NOT NULL)),
    CHECK ((document_id IS NULL) = (position IS NULL))
);
CREATE UNIQUE INDEX search_entries_by_document ON search_entries (document_id, position) WHERE document_id IS NOT NULL;
CREATE INDEX search_entries_by_terms ON search_entries USING GIN (terms);

CREATE FUNCTION forget_emptied_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM search_entries WHERE item_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER content_items_emptied AFTER UPDATE OF deleted_at ON content_items
FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL) EXECUTE FUNCTION forget_emptied_item();
