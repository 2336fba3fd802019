-- Checkpoints of the log that are known from outside and that a restored ledger does not reach. Nothing is sealed under the
-- log's name while one of them has more events than the log: that would be a second history under one name.

CREATE TABLE roundledger.log_published (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    size bigint NOT NULL,
    note text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER log_published_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.log_published
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.log_published ENABLE ALWAYS TRIGGER log_published_stays;
