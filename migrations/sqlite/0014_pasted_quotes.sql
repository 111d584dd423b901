-- Of a pasted text `local` only quotes: its answers held the text itself, which is to be stored nowhere.
DELETE FROM answers WHERE task = 'manual_summary' AND provider = 'local';
