-- What changes in migrations/sqlite/0033_vowel_signs.sql needs no change here: a `tsvector` has the terms as they are
-- written.

SELECT 1;
