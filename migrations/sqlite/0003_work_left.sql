-- What a run has left to do, and when sources published, without reading all that is stored.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE content_item_sources ADD COLUMN published_time INTEGER;
ALTER TABLE content_item_sources ADD COLUMN is_assigned INTEGER NOT NULL DEFAULT 0 CHECK (is_assigned IN (0, 1));
ALTER TABLE content_item_sources ADD COLUMN is_placed INTEGER NOT NULL DEFAULT 0 CHECK (is_placed IN (0, 1));

UPDATE content_item_sources
SET published_time = (SELECT i.item_time FROM content_items i
                      WHERE i.id = content_item_sources.item_id AND i.time_basis = 'published'),
    is_assigned = EXISTS (SELECT 1 FROM sources s JOIN topic_items t ON t.topic_id = s.topic_id
                          WHERE s.id = content_item_sources.source_id AND t.item_id = content_item_sources.item_id),
    is_placed = EXISTS (SELECT 1 FROM sources s JOIN cluster_items m ON m.topic_id = s.topic_id
                        JOIN content_items i ON i.id = m.item_id
                        JOIN embeddings e ON e.item_id = i.id AND e.content_hash = i.hash_text
                        WHERE s.id = content_item_sources.source_id AND m.item_id = content_item_sources.item_id);

CREATE INDEX content_item_sources_by_published ON content_item_sources (source_id, published_time, item_id)
WHERE published_time IS NOT NULL;
CREATE INDEX content_item_sources_unassigned ON content_item_sources (source_id, item_id) WHERE is_assigned = 0;
CREATE INDEX content_item_sources_unplaced ON content_item_sources (source_id, item_id) WHERE is_placed = 0;

-- What retention asks: whether a digest shows a story, and whether an answer came from a call.
CREATE INDEX digest_items_by_cluster ON digest_items (cluster_id) WHERE cluster_id IS NOT NULL;
CREATE INDEX digest_items_by_item ON digest_items (content_item_id) WHERE content_item_id IS NOT NULL;
CREATE INDEX answers_by_call ON answers (provider_call_id);
