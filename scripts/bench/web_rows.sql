-- Makes a database of 100,000 items, 200 digests and 5 users out of one that has a single digest, for scripts/bench/web.sh.
PRAGMA foreign_keys = OFF;
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TEMP TABLE base AS SELECT d.id AS digest, d.run_id AS run, d.topic_id AS topic, d.window_end AS ends FROM digests d LIMIT 1;
CREATE TEMP TABLE lines AS SELECT * FROM digest_items WHERE digest_id = (SELECT digest FROM base);
CREATE TEMP TABLE words (place INTEGER PRIMARY KEY, word TEXT);
INSERT INTO words (word) VALUES ('harbour'), ('ferry'), ('pilot'), ('tariff'), ('battery'), ('compiler'), ('index'), ('protein'), ('telescope'), ('glacier'),
    ('election'), ('inflation'), ('orchestra'), ('vaccine'), ('quantum'), ('bridge'), ('drought'), ('railway'), ('satellite'), ('database');
CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n;
-- Every item tells a story of its own, in words of which each is in a hundredth of them or less, as most are that people search for, an eighth of an hour after the one before.
CREATE TEMP TABLE made AS
SELECT i, printf('%08x-0000-5000-8000-00000000000a', i) AS item, printf('%08x-0000-5000-8000-00000000000c', i) AS cluster,
       printf('50000000-0000-5000-8000-%012x', i % 40) AS source, (SELECT ends FROM base) - i * 173000 AS at,
       (SELECT word FROM words WHERE place = 1 + i % 20) || (i % 101) || ' ' || (SELECT word FROM words WHERE place = 1 + (i / 20) % 20) || ((i / 20) % 53)
           || ' report number ' || i AS title
FROM n;
INSERT INTO sources (id, topic_id, kind, url, title, created_at)
SELECT printf('50000000-0000-5000-8000-%012x', i - 1), (SELECT topic FROM base), 'feed', 'https://source-' || i || '.example/feed', 'Source ' || i, 0 FROM n WHERE i <= 40;
INSERT INTO content_items (id, source_id, external_id, url, canonical_url, hash_url, hash_text, title, body_text, author, published_at, fetched_at, item_time, time_basis)
SELECT item, source, 'item-' || i, 'https://source.example/' || i, 'https://source.example/' || i, 'url' || i, 'text' || i, title,
       title || '. ' || replace(printf('%.*c', 6, 'x'), 'x', 'The ' || title || ' says that the ' || (SELECT word FROM words WHERE place = 1 + (i / 7) % 20) || (i % 97) || ' was measured again. '),
       'Author ' || (i % 300), at, at, at, 'published' FROM made;
INSERT INTO content_item_sources (source_id, external_id, item_id, first_seen_at, published_time, is_assigned, is_placed)
SELECT source, 'item-' || i, item, at, at, 1, 1 FROM made;
INSERT INTO topic_items (topic_id, item_id, run_id, state) SELECT (SELECT topic FROM base), item, NULL, 'seen' FROM made;
INSERT INTO clusters (id, topic_id, representative_item_id) SELECT cluster, (SELECT topic FROM base), item FROM made;
INSERT INTO cluster_items (topic_id, item_id, cluster_id, similarity) SELECT (SELECT topic FROM base), item, cluster, 1 FROM made;
-- One digest a day before the first.
CREATE TEMP TABLE days AS
SELECT i AS day, printf('d0000000-0000-5000-8000-%012x', i) AS digest, printf('a0000000-0000-5000-8000-%012x', i) AS run FROM n WHERE i <= 199;
INSERT INTO runs (id, topic_id, mode, window_start, window_end, status, stage, settings_json, created_at, finished_at)
SELECT d.run, r.topic_id, r.mode, r.window_start - d.day * 86400000, r.window_end - d.day * 86400000, 'done', r.stage, r.settings_json, r.created_at - d.day * 86400000, r.finished_at - d.day * 86400000
FROM days d JOIN runs r ON r.id = (SELECT run FROM base);
INSERT INTO run_attempts (run_id, attempt, holder, lease_token, started_at, finished_at, outcome, stage)
SELECT d.run, 1, a.holder, a.lease_token, a.started_at - d.day * 86400000, a.finished_at - d.day * 86400000, a.outcome, a.stage
FROM days d JOIN run_attempts a ON a.run_id = (SELECT run FROM base) AND a.attempt = 1;
INSERT INTO digests (id, run_id, topic_id, status, window_start, window_end, head_json, sources_json, skipped_json, cost_json, created_at)
SELECT d.digest, d.run, g.topic_id, g.status, g.window_start - d.day * 86400000, g.window_end - d.day * 86400000,
       json_set(g.head_json, '$.id', d.digest, '$.run_id', d.run,
           '$.window_start', strftime('%Y-%m-%dT%H:%M:%SZ', g.window_start / 1000 - d.day * 86400, 'unixepoch'),
           '$.window_end', strftime('%Y-%m-%dT%H:%M:%SZ', g.window_end / 1000 - d.day * 86400, 'unixepoch')),
       g.sources_json, g.skipped_json, g.cost_json, g.created_at
FROM days d JOIN digests g ON g.id = (SELECT digest FROM base);
INSERT INTO digest_items (id, digest_id, rank, section, label, cluster_id, title, url, aha_score, final_score, percentile, reason, state, triage_json, summary_json,
    entities_json, score_debug_json, members_json, detail_json)
SELECT printf('%08x-0000-5000-8000-0000000000e0', m.i), d.digest, l.rank, l.section, l.label, m.cluster, m.title, l.url, l.aha_score, l.final_score, l.percentile, l.reason, l.state,
       l.triage_json, l.summary_json, l.entities_json, l.score_debug_json, json_set(l.members_json, '$[0].item_id', m.item), l.detail_json
FROM days d JOIN lines l JOIN made m ON m.i = d.day * 40 + l.rank;
-- Five users, each with 300 marks, likes and saved stories.
INSERT OR IGNORE INTO users (id, name, created_at) SELECT printf('b0000000-0000-5000-8000-%012x', i), 'user' || i, 0 FROM n WHERE i <= 4;
INSERT INTO accounts (user_id, role, password_hash, created_at) SELECT id, 'editor', 'none', 0 FROM users WHERE name LIKE 'user%';
INSERT INTO feedback_events (id, user_id, topic_id, item_id, kind, title, source, terms_json, given_at)
SELECT printf('f%03x%04x-0000-5000-8000-00000000000f', u.rowid, m.i), u.id, (SELECT topic FROM base), m.item,
       CASE m.i % 4 WHEN 0 THEN 'like' WHEN 1 THEN 'save' WHEN 2 THEN 'read' ELSE 'dislike' END, m.title, 'Source ' || (m.i % 40), '["harbour","ferry"]', m.at
FROM (SELECT row_number() OVER (ORDER BY id) AS rowid, id FROM users) u JOIN made m ON m.i <= 300;
INSERT INTO provider_calls (id, run_id, topic_id, purpose, provider, model, prompt_id, attempt, stories, state, input_tokens, output_tokens, cost_microcredits, latency_ms, started_at, finished_at)
SELECT printf('c%07x-0000-5000-8000-00000000000b', i), printf('a0000000-0000-5000-8000-%012x', 1 + i % 199), (SELECT topic FROM base), CASE i % 3 WHEN 0 THEN 'triage' WHEN 1 THEN 'deep_summary' ELSE 'embed' END,
       'openai', 'gpt-5-mini', 'triage_v1', 1, 10, 'ok', 4000, 900, 2500, 1800, (SELECT ends FROM base) - i * 800000, (SELECT ends FROM base) - i * 800000 + 1800 FROM n WHERE i <= 20000;
INSERT INTO fetch_runs (id, run_id, attempt, source_id, status, items_seen, items_new, started_at, finished_at)
SELECT printf('e%03x%04x-0000-5000-8000-00000000000d', d.day, s.i), d.run, 1, printf('50000000-0000-5000-8000-%012x', s.i - 1), 'ok', 30, d.day % 7,
       (SELECT ends FROM base) - d.day * 86400000, (SELECT ends FROM base) - d.day * 86400000 FROM days d JOIN n s ON s.i <= 40;
COMMIT;
ANALYZE;
