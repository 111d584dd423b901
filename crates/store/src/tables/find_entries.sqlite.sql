-- Of what matches, the newest $5 are ranked: ranking reads each row. They come in the order of the index, from its end.
WITH newest (id) AS (
    SELECT e.id FROM search_index JOIN search_entries e ON e.id = search_index.rowid
    WHERE search_index MATCH $1
      AND (CAST($2 AS TEXT) IS NULL
           OR EXISTS (SELECT 1 FROM content_item_sources c
                      WHERE c.item_id = e.item_id AND c.source_id IN (SELECT value FROM json_each($2)))
           OR EXISTS (SELECT 1 FROM documents d
                      WHERE d.id = e.document_id AND d.source_id IN (SELECT value FROM json_each($2))))
      AND (CAST($3 AS INTEGER) IS NULL
           OR EXISTS (SELECT 1 FROM content_items i WHERE i.id = e.item_id AND i.item_time >= $3)
           OR EXISTS (SELECT 1 FROM documents d WHERE d.id = e.document_id AND d.dated_at >= $3))
    ORDER BY search_index.rowid DESC LIMIT $5)
SELECT search_index.rowid FROM search_index
WHERE search_index MATCH $1
  AND search_index.rowid >= (SELECT min(id) FROM newest)
  -- The sign keeps SQLite from asking the index for each of them.
  AND +search_index.rowid IN (SELECT id FROM newest)
ORDER BY bm25(search_index, 3.0, 1.0), search_index.rowid LIMIT $4
