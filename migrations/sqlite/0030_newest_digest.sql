-- Of digests with the same end, digest_latest shows the one made last, as `aha-radar digest latest` does.
-- docs/OPERATING.md tells operators what each column means.

DROP VIEW digest_latest;
CREATE VIEW digest_latest AS
SELECT t.name AS topic,
       strftime('%Y-%m-%dT%H:%M:%SZ', d.window_end / 1000, 'unixepoch') AS window_end,
       i.rank, i.section, i.label, i.aha_score, i.final_score, i.title, i.url, i.reason, i.id AS digest_item_id, i.state,
       json_extract(i.triage_json, '$.provider') || '/' || json_extract(i.triage_json, '$.model') AS judge,
       json_extract(i.summary_json, '$.one_liner') AS summary
FROM digest_items i
JOIN digests d ON d.id = i.digest_id
JOIN topics t ON t.id = d.topic_id
WHERE d.id = (SELECT n.id FROM digests n WHERE n.topic_id = d.topic_id
              ORDER BY n.window_end DESC, n.created_at DESC, n.window_start DESC, n.id LIMIT 1);
