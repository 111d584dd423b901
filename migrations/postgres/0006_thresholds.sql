-- What migrations/sqlite/0006_thresholds.sql makes, on Postgres.

CREATE TABLE clustering_thresholds (
    space     TEXT COLLATE "C" PRIMARY KEY,
    pair      DOUBLE PRECISION NOT NULL,
    crowd     DOUBLE PRECISION NOT NULL,
    split     DOUBLE PRECISION NOT NULL,
    documents BIGINT NOT NULL,
    bcubed_f1 DOUBLE PRECISION NOT NULL,
    found_at  BIGINT NOT NULL
);
