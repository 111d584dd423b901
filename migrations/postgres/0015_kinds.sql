-- A call whose outcome is not known says what kind of failure it was, as one that failed does.

ALTER TABLE provider_calls DROP CONSTRAINT provider_calls_check;
UPDATE provider_calls SET error_kind = 'outcome_unknown' WHERE state = 'unsettled';
ALTER TABLE provider_calls
    ADD CONSTRAINT provider_calls_check CHECK ((state IN ('error', 'unsettled')) = (error_kind IS NOT NULL));
