-- How much a digest of a topic shows, and from which score on.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE topics ADD COLUMN top_stories INTEGER NOT NULL DEFAULT 10 CHECK (top_stories BETWEEN 0 AND 200);
ALTER TABLE topics ADD COLUMN scan_stories INTEGER NOT NULL DEFAULT 20 CHECK (scan_stories BETWEEN 0 AND 200);
ALTER TABLE topics ADD COLUMN least_score INTEGER NOT NULL DEFAULT 21 CHECK (least_score BETWEEN 0 AND 100);
