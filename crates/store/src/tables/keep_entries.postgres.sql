-- Of the entries in $4 those that are of the sources in $2, not older than $3, and without what $1 matches; NULL for no
-- such condition.
SELECT e.id FROM search_entries e
WHERE e.id IN (SELECT CAST(value AS bigint) FROM json_array_elements_text(CAST(CAST($4 AS text) AS json)) AS w (value))
  AND (CAST($1 AS text) IS NULL OR NOT e.terms @@ CAST(CAST($1 AS text) AS tsquery))
  AND (CAST($2 AS text) IS NULL
       OR EXISTS (SELECT 1 FROM content_item_sources c
                  WHERE c.item_id = e.item_id
                    AND c.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json))))
       OR EXISTS (SELECT 1 FROM documents d
                  WHERE d.id = e.document_id
                    AND d.source_id IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json)))))
  AND (CAST($3 AS bigint) IS NULL
       OR EXISTS (SELECT 1 FROM content_items i WHERE i.id = e.item_id AND i.item_time >= $3)
       OR EXISTS (SELECT 1 FROM documents d WHERE d.id = e.document_id AND d.dated_at >= $3))
