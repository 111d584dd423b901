-- Of what matches, the newest $5 are ranked: ranking reads each row. They come in the order of the index, from its end.
-- A filter that at most 5,000 entries pass is a list of these; of one that more pass, each match is looked up. The lists
-- join by CROSS JOIN, which SQLite does not reorder: it would begin with all entries.
WITH of_sources (id) AS MATERIALIZED (
    SELECT e.id FROM content_item_sources c CROSS JOIN search_entries e ON e.item_id = c.item_id
    WHERE c.source_id IN (SELECT value FROM json_each($2))
    UNION ALL
    SELECT e.id FROM documents d CROSS JOIN search_entries e ON e.document_id = d.id
    WHERE d.source_id IN (SELECT value FROM json_each($2)) LIMIT 5001),
since (id) AS MATERIALIZED (
    SELECT e.id FROM content_items i CROSS JOIN search_entries e ON e.item_id = i.id WHERE i.item_time >= $3
    UNION ALL
    SELECT e.id FROM documents d CROSS JOIN search_entries e ON e.document_id = d.id WHERE d.dated_at >= $3 LIMIT 5001),
newest (id, score) AS MATERIALIZED (
    SELECT search_index.rowid, bm25(search_index, 3.0, 1.0) FROM search_index
    WHERE search_index MATCH $1
      AND CASE
          WHEN CAST($2 AS TEXT) IS NOT NULL AND (SELECT count(*) FROM of_sources) <= 5000
               AND search_index.rowid NOT IN (SELECT id FROM of_sources) THEN false
          WHEN CAST($3 AS INTEGER) IS NOT NULL AND (SELECT count(*) FROM since) <= 5000
               AND search_index.rowid NOT IN (SELECT id FROM since) THEN false
          WHEN CAST($2 AS TEXT) IS NOT NULL AND (SELECT count(*) FROM of_sources) > 5000
               AND NOT EXISTS (SELECT 1 FROM search_entries e JOIN content_item_sources c ON c.item_id = e.item_id
                               WHERE e.id = search_index.rowid AND c.source_id IN (SELECT value FROM json_each($2)))
               AND NOT EXISTS (SELECT 1 FROM search_entries e JOIN documents d ON d.id = e.document_id
                               WHERE e.id = search_index.rowid AND d.source_id IN (SELECT value FROM json_each($2)))
               THEN false
          WHEN CAST($3 AS INTEGER) IS NOT NULL AND (SELECT count(*) FROM since) > 5000
               AND NOT EXISTS (SELECT 1 FROM search_entries e JOIN content_items i ON i.id = e.item_id
                               WHERE e.id = search_index.rowid AND i.item_time >= $3)
               AND NOT EXISTS (SELECT 1 FROM search_entries e JOIN documents d ON d.id = e.document_id
                               WHERE e.id = search_index.rowid AND d.dated_at >= $3) THEN false
          ELSE true END
    ORDER BY search_index.rowid DESC LIMIT $5)
SELECT id FROM newest ORDER BY score, id LIMIT $4
