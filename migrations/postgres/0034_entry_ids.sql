-- What changes in migrations/sqlite/0034_entry_ids.sql needs no change here: an identity column never gives an id again.

SELECT 1;
