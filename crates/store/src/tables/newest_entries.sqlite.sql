-- The newest entries of the sources in $2, not older than $3, and without what $1 matches; NULL for no such condition.
-- Of a document its first passage. At most 5,000 items of the sources are read by source and sorted; more are found by
-- reading all items by time, newest first, for which CROSS JOIN keeps the tables in this order.
WITH of_sources (id) AS MATERIALIZED (
    SELECT c.item_id FROM content_item_sources c WHERE c.source_id IN (SELECT value FROM json_each($2)) LIMIT 5001)
SELECT n.id FROM (
    SELECT items.id, items.time, items.tie FROM (
        SELECT e.id, i.item_time AS time, i.id AS tie
        FROM content_items i CROSS JOIN search_entries e ON e.item_id = i.id
        WHERE (SELECT count(*) FROM of_sources) <= 5000 AND i.id IN (SELECT id FROM of_sources)
          AND i.deleted_at IS NULL
          AND (CAST($1 AS TEXT) IS NULL
               OR e.id NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH coalesce($1, '')))
          AND (CAST($3 AS INTEGER) IS NULL OR +i.item_time >= $3)
        ORDER BY +i.item_time DESC, i.id DESC LIMIT $4) AS items
    UNION ALL
    SELECT items.id, items.time, items.tie FROM (
        SELECT e.id, i.item_time AS time, i.id AS tie
        FROM content_items i CROSS JOIN search_entries e ON e.item_id = i.id
        WHERE (CAST($2 AS TEXT) IS NULL OR (SELECT count(*) FROM of_sources) > 5000)
          AND i.deleted_at IS NULL
          AND (CAST($1 AS TEXT) IS NULL
               OR e.id NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH coalesce($1, '')))
          AND (CAST($2 AS TEXT) IS NULL
               OR EXISTS (SELECT 1 FROM content_item_sources c
                          WHERE c.item_id = i.id AND c.source_id IN (SELECT value FROM json_each($2))))
          AND (CAST($3 AS INTEGER) IS NULL OR i.item_time >= $3)
        ORDER BY i.item_time DESC, i.id DESC LIMIT $4) AS items
    UNION ALL
    SELECT passages.id, passages.time, passages.tie FROM (
        SELECT e.id, d.dated_at AS time, d.id AS tie
        FROM documents d CROSS JOIN search_entries e ON e.document_id = d.id AND e.position = 0
        WHERE (CAST($1 AS TEXT) IS NULL
               OR e.id NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH coalesce($1, '')))
          AND (CAST($2 AS TEXT) IS NULL OR d.source_id IN (SELECT value FROM json_each($2)))
          AND (CAST($3 AS INTEGER) IS NULL OR d.dated_at >= $3)
        ORDER BY d.dated_at DESC, d.id DESC LIMIT $4) AS passages) AS n
ORDER BY n.time DESC, n.tie DESC LIMIT $4
