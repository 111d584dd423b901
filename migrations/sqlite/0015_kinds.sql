-- A call whose outcome is not known says what kind of failure it was, as one that failed does. SQLite cannot change a table's CHECK;
-- "Making Other Kinds Of Table Schema Changes" of its ALTER TABLE page gives this way for one that keeps the rows as they are.

PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'CHECK ((state = ''error'') = (error_kind IS NOT NULL))',
                       'CHECK ((state IN (''error'', ''unsettled'')) = (error_kind IS NOT NULL))')
WHERE type = 'table' AND name = 'provider_calls';
PRAGMA writable_schema = RESET;

UPDATE provider_calls SET error_kind = 'outcome_unknown' WHERE state = 'unsettled';
