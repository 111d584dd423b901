SELECT e.id, e.item_id, d.name AS document, p.section, coalesce(i.title, d.title) AS title,
       coalesce(p.text, i.body_text) AS text, CASE WHEN CAST($2 AS BIGINT) = 1 THEN i.html END AS html, i.url, coalesce(s.title, s.url) AS source,
       coalesce(i.item_time, d.dated_at) AS time, coalesce(d.is_replaced, 0) AS is_replaced
FROM search_entries e
LEFT JOIN content_items i ON i.id = e.item_id AND i.deleted_at IS NULL
LEFT JOIN documents d ON d.id = e.document_id
LEFT JOIN document_passages p ON p.document_id = e.document_id AND p.position = e.position
LEFT JOIN sources s ON s.id = coalesce(i.source_id, d.source_id)
WHERE e.id IN (SELECT value FROM json_each($1))
