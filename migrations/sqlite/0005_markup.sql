-- Markup kept for display, and the way to know an item again whose source gives it another identifier at each look.
-- docs/OPERATING.md tells operators what each column means.

ALTER TABLE content_items ADD COLUMN html TEXT;

CREATE INDEX content_items_by_text ON content_items (source_id, hash_text) WHERE hash_url IS NULL;
