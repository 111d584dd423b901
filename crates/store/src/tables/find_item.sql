-- The stored item that is the one just fetched, by the strongest sign first: this source gave it under the same id
-- before; it has the same address, unless this source gives it under another id and a date two days off or more, as when
-- a forum's users submit a page again; it has the same natural identity (its source was removed and added again); it has
-- no address, this source gave the same text, and no date distinguishes them (its identifier changes from fetch to
-- fetch). Items that retention has emptied are matched too, so that they are not added again.
-- Topics share items of the same text. An item with another text that this topic does not have is not it: it would be
-- shown here as the words of this source. The cross joins have SQLite go from an item to its few sources.
SELECT i.id, i.source_id, signs.way, i.hash_url, i.hash_text, i.title, i.body_text, i.engagement, i.metadata_json,
       i.deleted_at,
       (SELECT count(*) FROM content_item_sources p CROSS JOIN sources s
        WHERE p.item_id = i.id AND s.id = p.source_id
          AND s.topic_id <> (SELECT f.topic_id FROM sources f WHERE f.id = $1)) AS listed_elsewhere
FROM (
    SELECT p.item_id, CAST(1 AS BIGINT) AS way, 0 AS fetched_at
    FROM content_item_sources p
    WHERE p.source_id = $1 AND p.external_id = $2
    UNION ALL
    SELECT u.id, 2, u.fetched_at
    FROM content_items u
    WHERE u.hash_url = $3
      AND NOT coalesce(u.source_id = $1 AND abs(u.published_at - CAST($6 AS BIGINT)) >= 172800000, false)
    UNION ALL
    SELECT n.id, 3, 0
    FROM content_items n
    WHERE n.id = $4
    UNION ALL
    SELECT t.id, 4, t.fetched_at
    FROM content_items t
    WHERE t.source_id = $1 AND t.hash_text = $5 AND t.hash_url IS NULL AND CAST($3 AS TEXT) IS NULL
      AND (t.published_at IS NULL OR CAST($6 AS BIGINT) IS NULL OR t.published_at = $6)
) AS signs
JOIN content_items i ON i.id = signs.item_id
WHERE signs.way IN (1, 4) OR i.source_id = $1 OR i.hash_text = $5
   OR EXISTS (SELECT 1 FROM content_item_sources p CROSS JOIN sources s
              WHERE p.item_id = i.id AND s.id = p.source_id
                AND s.topic_id = (SELECT f.topic_id FROM sources f WHERE f.id = $1))
   OR EXISTS (SELECT 1 FROM topic_items t
              WHERE t.item_id = i.id AND t.topic_id = (SELECT f.topic_id FROM sources f WHERE f.id = $1))
ORDER BY signs.way, CASE WHEN i.deleted_at IS NULL THEN 0 ELSE 1 END, signs.fetched_at, signs.item_id
LIMIT 1
