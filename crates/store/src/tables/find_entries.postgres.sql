-- Of what matches, the newest $5 are ranked: ranking reads each row. Postgres would answer an EXISTS from a table of
-- all items.
SELECT m.id FROM (
    SELECT e.id, e.terms FROM search_entries e
    WHERE e.terms @@ CAST(CAST($1 AS text) AS tsquery)
      AND (CAST($2 AS text) IS NULL
           OR (SELECT 1 FROM content_item_sources c
               WHERE c.item_id = e.item_id
                 AND c.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json))) LIMIT 1) = 1
           OR (SELECT 1 FROM documents d
               WHERE d.id = e.document_id
                 AND d.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json))) LIMIT 1) = 1)
      AND (CAST($3 AS bigint) IS NULL
           OR (SELECT 1 FROM content_items i WHERE i.id = e.item_id AND i.item_time >= $3) = 1
           OR (SELECT 1 FROM documents d WHERE d.id = e.document_id AND d.dated_at >= $3) = 1)
    ORDER BY e.id DESC LIMIT $5) AS m
ORDER BY ts_rank('{0.1, 0.2, 0.4, 1.0}', m.terms, CAST(CAST($1 AS text) AS tsquery), 1) DESC, m.id LIMIT $4
