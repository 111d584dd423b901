-- Of what matches, the newest $5 are ranked: ranking reads each row. Postgres would answer an EXISTS from a table of
-- all items. A filter that at most 5,000 items and documents pass is a list of these; of one that more pass, each match
-- is looked up.
WITH sources AS (SELECT w.id FROM json_array_elements_text(CAST(CAST($2 AS text) AS json)) AS w (id)),
of_sources AS MATERIALIZED (
    SELECT o.id FROM sources s CROSS JOIN LATERAL (
        SELECT c.item_id AS id FROM content_item_sources c WHERE c.source_id = s.id LIMIT 5001) AS o
    UNION ALL
    SELECT d.id FROM sources s JOIN documents d ON d.source_id = s.id LIMIT 5001),
since AS MATERIALIZED (
    SELECT i.id FROM content_items i WHERE i.item_time >= $3
    UNION ALL
    SELECT d.id FROM documents d WHERE d.dated_at >= $3 LIMIT 5001)
SELECT m.id FROM (
    SELECT e.id, e.terms FROM search_entries e
    WHERE e.terms @@ CAST(CAST($1 AS text) AS tsquery)
      AND CASE
          WHEN CAST($2 AS text) IS NOT NULL AND (SELECT count(*) FROM of_sources) <= 5000
               AND coalesce(e.item_id, e.document_id) NOT IN (SELECT id FROM of_sources) THEN false
          WHEN CAST($3 AS bigint) IS NOT NULL AND (SELECT count(*) FROM since) <= 5000
               AND coalesce(e.item_id, e.document_id) NOT IN (SELECT id FROM since) THEN false
          WHEN CAST($2 AS text) IS NOT NULL AND (SELECT count(*) FROM of_sources) > 5000
               AND (SELECT 1 FROM content_item_sources c
                    WHERE c.item_id = e.item_id
                      AND c.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json)))
                    LIMIT 1) IS NULL
               AND (SELECT 1 FROM documents d
                    WHERE d.id = e.document_id
                      AND d.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json)))
                    LIMIT 1) IS NULL THEN false
          WHEN CAST($3 AS bigint) IS NOT NULL AND (SELECT count(*) FROM since) > 5000
               AND (SELECT 1 FROM content_items i WHERE i.id = e.item_id AND i.item_time >= $3) IS NULL
               AND (SELECT 1 FROM documents d WHERE d.id = e.document_id AND d.dated_at >= $3) IS NULL THEN false
          ELSE true END
    ORDER BY e.id DESC LIMIT $5) AS m
ORDER BY ts_rank('{0.1, 0.2, 0.4, 1.0}', m.terms, CAST(CAST($1 AS text) AS tsquery), 1) DESC, m.id LIMIT $4
