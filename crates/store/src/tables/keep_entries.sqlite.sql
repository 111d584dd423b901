-- Of the entries in $4 those that are of the sources in $2, not older than $3, and without what $1 matches; NULL for no
-- such condition.
SELECT e.id FROM search_entries e
WHERE e.id IN (SELECT value FROM json_each($4))
  AND (CAST($1 AS TEXT) IS NULL OR e.id NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH coalesce($1, '')))
  AND (CAST($2 AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM content_item_sources c
                  WHERE c.item_id = e.item_id AND c.source_id IN (SELECT value FROM json_each($2)))
       OR EXISTS (SELECT 1 FROM documents d
                  WHERE d.id = e.document_id AND d.source_id IN (SELECT value FROM json_each($2))))
  AND (CAST($3 AS INTEGER) IS NULL
       OR EXISTS (SELECT 1 FROM content_items i WHERE i.id = e.item_id AND i.item_time >= $3)
       OR EXISTS (SELECT 1 FROM documents d WHERE d.id = e.document_id AND d.dated_at >= $3))
