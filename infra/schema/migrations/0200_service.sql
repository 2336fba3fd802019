-- What the HTTP service keeps beside the events: which tokens no longer count, and who has looked at what.

CREATE TABLE roundledger.revoked_tokens (
    token_id text PRIMARY KEY,
    revoked_by text NOT NULL,
    reason text NOT NULL,
    revoked_at timestamptz NOT NULL DEFAULT now()
);

-- Every look at a hand and every export by a person. Nothing of what was seen is in it.
CREATE TABLE roundledger.reads (
    read_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    read_at timestamptz NOT NULL DEFAULT now(),
    by text NOT NULL,
    role text NOT NULL,
    what text NOT NULL,
    subject text NOT NULL,
    request_id text NOT NULL
);

CREATE TRIGGER revoked_tokens_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.revoked_tokens
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.revoked_tokens ENABLE ALWAYS TRIGGER revoked_tokens_stay;

CREATE TRIGGER reads_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.reads
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.reads ENABLE ALWAYS TRIGGER reads_stay;
