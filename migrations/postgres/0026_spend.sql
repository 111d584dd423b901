-- Spend over a long time reads every call of it: from this index alone, without their rows.
-- docs/OPERATING.md tells operators what each column means.

DROP INDEX provider_calls_by_time;
CREATE INDEX provider_calls_by_time ON provider_calls (
    started_at, purpose, provider, model, topic_id, state, stories, input_tokens, output_tokens, cost_microcredits,
    reserved_microcredits
);
