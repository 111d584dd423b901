-- Items of a topic as clustering sees them: with their vector, their story (where it was merged, the one it went into),
-- and the source they count for within the topic. Looked up item by item: joined, all that is stored would be read.
SELECT *
FROM (
    SELECT i.id, i.item_time, i.hash_text, i.duplicate_of, e.vector,
           (SELECT coalesce(c.merged_into, c.id)
            FROM cluster_items m
            JOIN clusters c ON c.id = m.cluster_id
            WHERE m.topic_id = $1 AND m.item_id = i.id) AS cluster_id,
           (SELECT k.delivered_at
            FROM cluster_items m
            JOIN clusters c ON c.id = m.cluster_id
            JOIN clusters k ON k.id = coalesce(c.merged_into, c.id)
            WHERE m.topic_id = $1 AND m.item_id = i.id) AS delivered_at,
           (SELECT coalesce(min(CASE WHEN p.source_id = i.source_id THEN p.source_id END), min(p.source_id))
            FROM content_item_sources p
            JOIN sources s ON s.id = p.source_id
            WHERE p.item_id = i.id AND s.topic_id = $1) AS source
    FROM content_items i
    JOIN embeddings e ON e.item_id = i.id AND e.space = $2
    WHERE i.item_time >= $3
      AND i.item_time < $4
      AND i.fetched_at <= $5
      AND i.deleted_at IS NULL
) AS embedded
WHERE source IS NOT NULL
ORDER BY item_time, id
