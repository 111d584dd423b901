-- Vectors of the sentences and passages of documents, where a sentence model is set. docs/OPERATING.md tells operators what each column means.
-- It is a part of the index: `aha-radar reindex` makes it again, and a copy of the database leaves it out.

CREATE TABLE sentence_vectors (
    space     TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    vector    BLOB NOT NULL,
    PRIMARY KEY (space, text_hash)
) STRICT, WITHOUT ROWID;
