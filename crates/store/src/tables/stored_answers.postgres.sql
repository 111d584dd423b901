SELECT key_index, provider, model, input_hash, answer_json, provider_call_id
FROM (SELECT *, row_number() OVER (
                 PARTITION BY key_index ORDER BY CASE WHEN height >= wanted THEN 0 ELSE 1 END, height) AS place
      FROM (SELECT w.place - 1 AS key_index, a.provider, a.model, a.input_hash, a.answer_json, a.provider_call_id,
                   w.value ->> 4 AS wanted_tier,
                   CASE a.tier WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END AS height,
                   CASE w.value ->> 4 WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END AS wanted
            FROM json_array_elements(CAST(CAST($1 AS text) AS json)) WITH ORDINALITY AS w (value, place)
            JOIN answers a
              ON a.task = w.value ->> 0 AND a.tier IN ('low', 'normal', 'high') AND a.prompt_id = w.value ->> 1
                 AND a.schema_version = w.value ->> 2 AND a.fingerprint = w.value ->> 3) AS given
      WHERE (height >= wanted
             OR EXISTS (SELECT 1 FROM provider_calls c
                        WHERE c.id = given.provider_call_id AND c.degraded_from = given.wanted_tier
                          AND (c.run_id = $2 OR (c.run_id IS NULL AND CAST($2 AS TEXT) IS NULL))))
        AND (CAST($3 AS BIGINT) IS NULL
             OR EXISTS (SELECT 1 FROM provider_calls c
                        JOIN run_attempts p ON p.run_id = c.run_id AND p.attempt = $3
                        WHERE c.id = given.provider_call_id AND c.run_id = $2
                          AND c.lease_token >= p.lease_token))) AS accepted
WHERE place = 1
