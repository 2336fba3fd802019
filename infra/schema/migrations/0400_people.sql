-- People who sign in to the pages, their sessions, and every attempt to sign in.

CREATE TABLE roundledger.people (
    staff_id text PRIMARY KEY,
    name text NOT NULL,
    parts text[] NOT NULL CHECK (cardinality(parts) > 0),  -- roles; a terminal's with its table: terminal:t1
    password text NOT NULL,  -- a salted scrypt hash with its parameters
    disabled boolean NOT NULL DEFAULT false
);

-- What was done to whom, and by whom; never a password.
CREATE TABLE roundledger.people_changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by text NOT NULL,
    staff_id text NOT NULL,
    change text NOT NULL
);

-- The cookie itself is nowhere: whoever reads this table cannot be anybody by it.
CREATE TABLE roundledger.sessions (
    cookie_hash bytea PRIMARY KEY,
    staff_id text NOT NULL REFERENCES roundledger.people,
    part text NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
CREATE INDEX sessions_of ON roundledger.sessions (staff_id) WHERE ended_at IS NULL;

-- An attempt is written down before it is judged, so that many at once cannot outrun the limit.
CREATE TABLE roundledger.sign_ins (
    sign_in_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tried_at timestamptz NOT NULL DEFAULT now(),
    staff_id text NOT NULL,
    address text NOT NULL,
    accepted boolean NOT NULL
);
CREATE INDEX sign_ins_of ON roundledger.sign_ins (staff_id, tried_at);
CREATE INDEX sign_ins_from ON roundledger.sign_ins (address, tried_at);

CREATE TRIGGER people_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.people_changes
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.people_changes ENABLE ALWAYS TRIGGER people_changes_stay;

CREATE TRIGGER sign_ins_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.sign_ins
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.sign_ins ENABLE ALWAYS TRIGGER sign_ins_stay;
