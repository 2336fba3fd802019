-- Searches that people have saved under a name, for themselves or for a role. `search` is the query of an address. They
-- say nothing of what happened, and are changed and deleted.

CREATE TABLE roundledger.saved_searches (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    staff_id text NOT NULL,
    name text NOT NULL,
    search text NOT NULL,
    shared_with text,
    saved_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (staff_id, name)
);
