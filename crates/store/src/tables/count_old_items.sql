-- Items that remove_old_items.sql would empty; the conditions are the same.
SELECT count(*)
FROM content_items i
WHERE i.item_time < $1
  AND i.fetched_at < $1
  AND i.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM digest_items d WHERE d.content_item_id = i.id)
  AND NOT EXISTS (SELECT 1 FROM content_item_deep_reviews r WHERE r.content_item_id = i.id)
  AND i.id NOT IN (SELECT f.item_id FROM feedback_events f WHERE f.kind = 'save')
  AND NOT EXISTS (
      SELECT 1 FROM cluster_items m
      JOIN clusters c ON c.id = m.cluster_id
      JOIN digest_items d ON d.cluster_id = c.id OR d.cluster_id = c.merged_into
      WHERE m.topic_id IN (SELECT id FROM topics) AND m.item_id = i.id
  )
  AND NOT EXISTS (
      SELECT 1 FROM cluster_items m
      JOIN clusters c ON c.id = m.cluster_id
      JOIN clusters s ON s.id = coalesce(c.merged_into, c.id) OR s.merged_into = coalesce(c.merged_into, c.id)
      JOIN cluster_items o ON o.cluster_id = s.id
      JOIN content_items n ON n.id = o.item_id
      WHERE m.topic_id IN (SELECT id FROM topics) AND m.item_id = i.id AND n.item_time >= $1
  )
