-- What is read newest first, of one topic and of all: runs and digests; and the stories that a run has delivered, for
-- its removal. docs/OPERATING.md tells operators what each column means.

CREATE INDEX clusters_by_delivery ON clusters (delivered_run_id) WHERE delivered_run_id IS NOT NULL;
CREATE INDEX digests_by_time ON digests (window_end);
CREATE INDEX runs_by_time ON runs (window_end);
CREATE INDEX runs_by_topic ON runs (topic_id, window_end);
