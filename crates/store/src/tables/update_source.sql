-- A source after a fetch of it. $2 is the fetch's status.
UPDATE sources
SET url = CASE
        WHEN CAST($12 AS TEXT) IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM sources other
            WHERE other.topic_id = sources.topic_id AND other.url = $12 AND other.id <> sources.id
        ) THEN $12
        ELSE url
    END,
    title = coalesce(title, $11),
    health = $3,
    enabled = CASE WHEN $3 = 'gone' THEN 0 ELSE enabled END,
    consecutive_failures = CASE $2
        WHEN 'error' THEN consecutive_failures + 1
        WHEN 'waiting' THEN consecutive_failures
        ELSE 0
    END,
    last_error_kind = CASE $2 WHEN 'error' THEN $4 WHEN 'waiting' THEN last_error_kind END,
    last_error = CASE $2 WHEN 'error' THEN $5 WHEN 'waiting' THEN last_error END,
    last_fetched_at = CASE $2 WHEN 'waiting' THEN last_fetched_at ELSE $6 END,
    last_ok_at = CASE WHEN $2 IN ('ok', 'not_modified') THEN $6 ELSE last_ok_at END,
    not_before = CASE $2 WHEN 'waiting' THEN coalesce($7, not_before) ELSE $7 END,
    next_check_at = CASE $2 WHEN 'waiting' THEN next_check_at ELSE $13 END,
    check_interval_ms = coalesce($14, check_interval_ms),
    -- "Not modified" confirms the validators that were sent and may renew some of them.
    validator_url = CASE $2 WHEN 'ok' THEN $8 WHEN 'not_modified' THEN coalesce($8, validator_url) ELSE validator_url END,
    etag = CASE $2 WHEN 'ok' THEN $9 WHEN 'not_modified' THEN coalesce($9, etag) ELSE etag END,
    last_modified = CASE $2
        WHEN 'ok' THEN $10
        WHEN 'not_modified' THEN coalesce($10, last_modified)
        ELSE last_modified
    END
WHERE id = $1
