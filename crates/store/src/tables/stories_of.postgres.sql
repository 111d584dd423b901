-- Members of every story that contains one of the items $2; a story's clusters are itself and what was merged into it.
WITH story (id) AS (
    SELECT DISTINCT coalesce(c.merged_into, c.id)
    FROM cluster_items m
    JOIN clusters c ON c.id = m.cluster_id
    WHERE m.topic_id = $1
      AND m.item_id = ANY($2)
),
part (cluster_id, story_id) AS (
    SELECT id, id FROM story
    UNION ALL
    SELECT id, merged_into FROM clusters WHERE merged_into IN (SELECT id FROM story)
)
SELECT k.id AS cluster_id, k.delivered_at, k.delivered_sources, k.delivered_run_id, m.item_id, m.similarity
FROM part
JOIN clusters k ON k.id = part.story_id
JOIN cluster_items m ON m.cluster_id = part.cluster_id
JOIN content_items i ON i.id = m.item_id
WHERE m.topic_id = $1
  AND i.item_time < $3
  AND i.deleted_at IS NULL
ORDER BY k.id, i.item_time, i.id
