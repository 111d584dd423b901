SELECT CAST(g.day AS TEXT) AS key, g.calls, CAST(g.errors AS BIGINT) AS errors,
       CAST(g.unsettled AS BIGINT) AS unsettled, g.calls - g.priced AS unpriced, CAST(g.stories AS BIGINT) AS stories,
       CAST(coalesce(g.input_tokens, 0) AS BIGINT) AS input_tokens,
       CAST(coalesce(g.output_tokens, 0) AS BIGINT) AS output_tokens,
       CAST(coalesce(g.microcredits, 0) AS BIGINT) AS microcredits,
       CAST(coalesce(g.reserved, 0) AS BIGINT) AS reserved_microcredits
FROM (SELECT c.started_at / 86400000 AS day, count(*) AS calls, sum(CASE c.state WHEN 'error' THEN 1 ELSE 0 END) AS errors,
             sum(CASE c.state WHEN 'unsettled' THEN 1 ELSE 0 END) AS unsettled,
             count(coalesce(c.cost_microcredits, c.reserved_microcredits)) AS priced, sum(c.stories) AS stories,
             sum(c.input_tokens) AS input_tokens, sum(c.output_tokens) AS output_tokens,
             sum(coalesce(c.cost_microcredits, c.reserved_microcredits)) AS microcredits,
             sum(CASE WHEN c.cost_microcredits IS NULL THEN c.reserved_microcredits END) AS reserved
      FROM provider_calls c WHERE c.started_at >= $1 GROUP BY 1) AS g
ORDER BY 1
