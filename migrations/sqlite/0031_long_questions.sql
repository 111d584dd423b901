-- What changes in migrations/postgres/0031_long_questions.sql needs no change here: SQLite indexes text of any length.

SELECT 1;
