-- The header `Location` of a response that is stored for the repetitions of its request.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE idempotency_keys ADD COLUMN location TEXT;
