-- digest_latest also tells the state of a story's judgement, who judged it and the summary in a sentence; the spend views tell the topic.
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
              ORDER BY n.window_end DESC, n.window_start DESC, n.id LIMIT 1);

DROP VIEW spend_by_day;
CREATE VIEW spend_by_day AS
SELECT strftime('%Y-%m-%d', c.started_at / 1000, 'unixepoch') AS day, count(*) AS calls,
       sum(coalesce(c.cost_microcredits, c.reserved_microcredits, 0)) AS microcredits,
       sum(CASE WHEN c.state = 'unsettled' THEN 1 ELSE 0 END) AS unsettled, t.name AS topic
FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
GROUP BY 1, t.name;

DROP VIEW spend_by_purpose;
CREATE VIEW spend_by_purpose AS
SELECT c.purpose, c.provider, c.model, count(*) AS calls,
       sum(coalesce(c.cost_microcredits, c.reserved_microcredits, 0)) AS microcredits,
       sum(CASE WHEN c.state = 'unsettled' THEN 1 ELSE 0 END) AS unsettled, t.name AS topic
FROM provider_calls c LEFT JOIN topics t ON t.id = c.topic_id
GROUP BY 1, 2, 3, t.name;
