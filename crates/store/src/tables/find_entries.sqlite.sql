-- Of what matches, the newest $5 are ranked: ranking reads each row. They come in the order of the index, from its end.
-- A filter that at most 5,000 items and documents pass is a list of these; of one that more pass, each match is looked
-- up.
WITH of_sources (id) AS MATERIALIZED (
    SELECT c.item_id FROM content_item_sources c WHERE c.source_id IN (SELECT value FROM json_each($2))
    UNION ALL
    SELECT d.id FROM documents d WHERE d.source_id IN (SELECT value FROM json_each($2)) LIMIT 5001),
since (id) AS MATERIALIZED (
    SELECT i.id FROM content_items i WHERE i.item_time >= $3
    UNION ALL
    SELECT d.id FROM documents d WHERE d.dated_at >= $3 LIMIT 5001),
newest (id) AS (
    SELECT e.id FROM search_index JOIN search_entries e ON e.id = search_index.rowid
    WHERE search_index MATCH $1
      AND CASE
          WHEN CAST($2 AS TEXT) IS NOT NULL AND (SELECT count(*) FROM of_sources) <= 5000
               AND coalesce(e.item_id, e.document_id) NOT IN (SELECT id FROM of_sources) THEN false
          WHEN CAST($3 AS INTEGER) IS NOT NULL AND (SELECT count(*) FROM since) <= 5000
               AND coalesce(e.item_id, e.document_id) NOT IN (SELECT id FROM since) THEN false
          WHEN CAST($2 AS TEXT) IS NOT NULL AND (SELECT count(*) FROM of_sources) > 5000
               AND NOT EXISTS (SELECT 1 FROM content_item_sources c
                               WHERE c.item_id = e.item_id AND c.source_id IN (SELECT value FROM json_each($2)))
               AND NOT EXISTS (SELECT 1 FROM documents d
                               WHERE d.id = e.document_id AND d.source_id IN (SELECT value FROM json_each($2)))
               THEN false
          WHEN CAST($3 AS INTEGER) IS NOT NULL AND (SELECT count(*) FROM since) > 5000
               AND NOT EXISTS (SELECT 1 FROM content_items i WHERE i.id = e.item_id AND i.item_time >= $3)
               AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = e.document_id AND d.dated_at >= $3) THEN false
          ELSE true END
    ORDER BY search_index.rowid DESC LIMIT $5)
SELECT search_index.rowid FROM search_index
WHERE search_index MATCH $1
  AND search_index.rowid >= (SELECT min(id) FROM newest)
  -- The sign keeps SQLite from asking the index for each of them.
  AND +search_index.rowid IN (SELECT id FROM newest)
ORDER BY bm25(search_index, 3.0, 1.0), search_index.rowid LIMIT $4
