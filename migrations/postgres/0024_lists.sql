-- What lists read: calls whose cost is not known, few of many; and the items of a source that have no date.
-- docs/OPERATING.md tells operators what each column means.

CREATE INDEX provider_calls_unsettled ON provider_calls (started_at, id) WHERE state = 'unsettled';
CREATE INDEX content_item_sources_undated ON content_item_sources (source_id, item_id) WHERE published_time IS NULL;
