-- Thresholds of clustering that `aha-radar calibrate --tune` found on the owner's labelled stories; without a row those that ship serve.

CREATE TABLE clustering_thresholds (
    space     TEXT PRIMARY KEY,
    pair      REAL NOT NULL,
    crowd     REAL NOT NULL,
    split     REAL NOT NULL,
    documents INTEGER NOT NULL,
    bcubed_f1 REAL NOT NULL,
    found_at  INTEGER NOT NULL
) STRICT;
