-- What migrations/sqlite/0011_views.sql makes, on Postgres. Replaced rather than dropped, with the new columns last: rights granted on a view
-- are kept, and so are the owner's own views that read from it.

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
              ORDER BY n.window_end DESC, n.window_start DESC, n.id LIMIT 1);

CREATE OR REPLACE VIEW spend_by_day AS
SELECT to_char(to_timestamp(c.started_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*) AS calls,
       CAST(sum(coalesce(c.cost_microcredits, c.reserved_microcredits, 0)) AS BIGINT) AS microcredits,
       CAST(sum(CASE WHEN c.state = 'unsettled' THEN 1 ELSE 0 END) AS BIGINT) AS unsettled, t.name AS topic
FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
GROUP BY 1, t.name;

CREATE OR REPLACE VIEW spend_by_purpose AS
SELECT c.purpose, c.provider, c.model, count(*) AS calls,
       CAST(sum(coalesce(c.cost_microcredits, c.reserved_microcredits, 0)) AS BIGINT) AS microcredits,
       CAST(sum(CASE WHEN c.state = 'unsettled' THEN 1 ELSE 0 END) AS BIGINT) AS unsettled, t.name AS topic
FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
GROUP BY 1, 2, 3, t.name;
