-- The newest entries of the sources in $2, not older than $3, and without what $1 matches; NULL for no such condition.
-- Of a document its first passage. Postgres would answer an EXISTS from a table of all items. At most 5,000 items of
-- the sources are read by source and sorted; more are found by reading all items by time, newest first.
WITH of_sources AS MATERIALIZED (
    SELECT o.id FROM json_array_elements_text(CAST(CAST($2 AS text) AS json)) AS s (id) CROSS JOIN LATERAL (
        SELECT c.item_id AS id FROM content_item_sources c WHERE c.source_id = s.id LIMIT 5001) AS o
    LIMIT 5001)
SELECT n.id FROM (
    SELECT items.id, items.time, items.tie FROM (
        SELECT e.id, i.item_time AS time, i.id AS tie
        FROM (SELECT DISTINCT o.id FROM of_sources o WHERE (SELECT count(*) FROM of_sources) <= 5000) AS o
        JOIN content_items i ON i.id = o.id JOIN search_entries e ON e.item_id = i.id
        WHERE i.deleted_at IS NULL
          AND (CAST($1 AS text) IS NULL OR NOT e.terms @@ CAST(CAST($1 AS text) AS tsquery))
          AND (CAST($3 AS bigint) IS NULL OR i.item_time >= $3)
        ORDER BY i.item_time DESC, i.id DESC LIMIT $4) AS items
    UNION ALL
    SELECT items.id, items.time, items.tie FROM (
        SELECT e.id, i.item_time AS time, i.id AS tie
        FROM content_items i JOIN search_entries e ON e.item_id = i.id
        WHERE (CAST($2 AS text) IS NULL OR (SELECT count(*) FROM of_sources) > 5000)
          AND i.deleted_at IS NULL
          AND (CAST($1 AS text) IS NULL OR NOT e.terms @@ CAST(CAST($1 AS text) AS tsquery))
          -- As a CASE, which the planner takes to be true for half of the rows, so that it reads them from the newest.
          AND CASE
              WHEN CAST($2 AS text) IS NOT NULL
                   AND (SELECT 1 FROM content_item_sources c
                        WHERE c.item_id = i.id
                          AND c.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json)))
                        LIMIT 1) IS NULL THEN false
              ELSE true END
          AND (CAST($3 AS bigint) IS NULL OR i.item_time >= $3)
        ORDER BY i.item_time DESC, i.id DESC LIMIT $4) AS items
    UNION ALL
    SELECT passages.id, passages.time, passages.tie FROM (
        SELECT e.id, d.dated_at AS time, d.id AS tie
        FROM documents d JOIN search_entries e ON e.document_id = d.id AND e.position = 0
        WHERE (CAST($1 AS text) IS NULL OR NOT e.terms @@ CAST(CAST($1 AS text) AS tsquery))
          AND (CAST($2 AS text) IS NULL
               OR d.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json))))
          AND (CAST($3 AS bigint) IS NULL OR d.dated_at >= $3)
        ORDER BY d.dated_at DESC, d.id DESC LIMIT $4) AS passages) AS n
ORDER BY n.time DESC, n.tie DESC LIMIT $4
