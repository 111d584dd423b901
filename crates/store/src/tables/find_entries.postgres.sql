-- Of what matches, the newest $5 are ranked: ranking reads each row. A filter that at most 5,000 items and documents
-- pass is a list of these, and their entries are read; of one that more pass, each match is looked up, newest first.
-- Postgres would answer an EXISTS from a table of all items.
WITH sources AS (SELECT w.id FROM json_array_elements_text(CAST(CAST($2 AS text) AS json)) AS w (id)),
of_sources AS MATERIALIZED (
    SELECT o.id FROM sources s CROSS JOIN LATERAL (
        SELECT c.item_id AS id FROM content_item_sources c WHERE c.source_id = s.id LIMIT 5001) AS o
    UNION ALL
    SELECT d.id FROM sources s JOIN documents d ON d.source_id = s.id LIMIT 5001),
since AS MATERIALIZED (
    SELECT i.id FROM content_items i WHERE i.item_time >= $3
    UNION ALL
    SELECT d.id FROM documents d WHERE d.dated_at >= $3 LIMIT 5001),
is_listed AS MATERIALIZED (
    SELECT CAST($2 AS text) IS NOT NULL AND (SELECT count(*) FROM of_sources) <= 5000 AS by_source,
           CAST($3 AS bigint) IS NOT NULL AND (SELECT count(*) FROM since) <= 5000 AS by_time),
listed AS MATERIALIZED (
    SELECT DISTINCT o.id FROM of_sources o
    WHERE (SELECT by_source FROM is_listed)
      AND (CAST($3 AS bigint) IS NULL
           OR (SELECT 1 FROM content_items i WHERE i.id = o.id AND i.item_time >= $3) = 1
           OR (SELECT 1 FROM documents d WHERE d.id = o.id AND d.dated_at >= $3) = 1)
    UNION ALL
    SELECT s.id FROM since s
    WHERE (SELECT by_time AND NOT by_source FROM is_listed)
      AND (CAST($2 AS text) IS NULL
           OR (SELECT 1 FROM content_item_sources c
               WHERE c.item_id = s.id AND c.source_id IN (SELECT id FROM sources) LIMIT 1) = 1
           OR (SELECT 1 FROM documents d WHERE d.id = s.id AND d.source_id IN (SELECT id FROM sources)) = 1)),
newest AS (
    SELECT e.id, e.terms FROM listed l JOIN search_entries e ON e.item_id = l.id
    WHERE e.terms @@ CAST(CAST($1 AS text) AS tsquery)
    UNION ALL
    SELECT e.id, e.terms FROM listed l JOIN search_entries e ON e.document_id = l.id
    WHERE e.terms @@ CAST(CAST($1 AS text) AS tsquery)
    UNION ALL
    (SELECT e.id, e.terms FROM search_entries e
     WHERE NOT (SELECT by_source OR by_time FROM is_listed)
       AND e.terms @@ CAST(CAST($1 AS text) AS tsquery)
       -- As a CASE, which the planner takes to be true for half of the rows, so that it reads them from the newest. Its
       -- first branch is never taken: the planner adds its cost to each row, in place of that of reading the terms, which
       -- it does not know, and uses the index of terms for words of up to about a tenth of all entries.
       AND CASE
           WHEN e.terms_version < 0 THEN (SELECT 1 FROM content_items i WHERE i.id = e.item_id) = 1
           WHEN CAST($2 AS text) IS NOT NULL
                AND (SELECT 1 FROM content_item_sources c
                     WHERE c.item_id = e.item_id AND c.source_id IN (SELECT id FROM sources) LIMIT 1) IS NULL
                AND (SELECT 1 FROM documents d
                     WHERE d.id = e.document_id AND d.source_id IN (SELECT id FROM sources)) IS NULL THEN false
           WHEN CAST($3 AS bigint) IS NOT NULL
                AND (SELECT 1 FROM content_items i WHERE i.id = e.item_id AND i.item_time >= $3) IS NULL
                AND (SELECT 1 FROM documents d WHERE d.id = e.document_id AND d.dated_at >= $3) IS NULL THEN false
           ELSE true END
     ORDER BY e.id DESC LIMIT $5)
    ORDER BY id DESC LIMIT $5)
SELECT m.id FROM newest m
ORDER BY ts_rank('{0.1, 0.2, 0.4, 1.0}', m.terms, CAST(CAST($1 AS text) AS tsquery), 1) DESC, m.id LIMIT $4
