-- Of digests with the same end, digest_latest shows the one made last, as `aha-radar digest latest` does.
-- docs/OPERATING.md tells operators what each column means.

CREATE OR REPLACE VIEW digest_latest AS
SELECT t.name AS topic,
       to_char(to_timestamp(d.window_end / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS window_end,
       i.rank, i.section, i.label, i.aha_score, i.final_score, i.title, i.url, i.reason, i.id AS digest_item_id, i.state,
       (i.triage_json::json ->> 'provider') || '/' || (i.triage_json::json ->> 'model') AS judge,
       i.summary_json::json ->> 'one_liner' AS summary
FROM digest_items i
JOIN digests d ON d.id = i.digest_id
JOIN topics t ON t.id = d.topic_id
WHERE d.id = (SELECT n.id FROM digests n WHERE n.topic_id = d.topic_id
              ORDER BY n.window_end DESC, n.created_at DESC, n.window_start DESC, n.id LIMIT 1);
