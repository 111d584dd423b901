-- Items of a topic as clustering sees them: with their vector, their story (where it was merged, the one it went into),
-- and the source they count for within the topic.
SELECT i.id, i.item_time, i.hash_text, i.duplicate_of, e.vector, coalesce(c.merged_into, c.id) AS cluster_id,
       coalesce(min(CASE WHEN p.source_id = i.source_id THEN p.source_id END), min(p.source_id)) AS source
FROM content_items i
JOIN content_item_sources p ON p.item_id = i.id
JOIN sources s ON s.id = p.source_id
JOIN embeddings e ON e.item_id = i.id AND e.space = $2
LEFT JOIN cluster_items m ON m.topic_id = $1 AND m.item_id = i.id
LEFT JOIN clusters c ON c.id = m.cluster_id
WHERE s.topic_id = $1
  AND i.item_time >= $3
  AND i.item_time < $4
  AND i.fetched_at <= $5
  AND i.deleted_at IS NULL
GROUP BY i.id, e.item_id, e.space, c.id
ORDER BY i.item_time, i.id
