-- The transparency log: a Merkle tree over the events, its signed roots, and the keys that sign them. All of it is
-- added to and never changed, like the events themselves.

-- Which log this is, for ever; a copy of the database is the same log.
CREATE TABLE roundledger.log_identity (
    log_id uuid PRIMARY KEY
);
INSERT INTO roundledger.log_identity VALUES (gen_random_uuid());

-- Hashes of one level, side by side, beginning at an index of it; a row never goes over the edge of a tile of 256. At level
-- 0 they are those of the leaves, and the first of them is the event at `first_position`.
CREATE TABLE roundledger.log_hashes (
    level smallint NOT NULL,
    first bigint NOT NULL,
    first_position bigint,
    hashes bytea NOT NULL,
    PRIMARY KEY (level, first)
);
-- They cannot be compressed, so nobody should try.
ALTER TABLE roundledger.log_hashes ALTER COLUMN hashes SET STORAGE EXTERNAL;
CREATE INDEX log_hashes_first_position ON roundledger.log_hashes (first_position) WHERE level = 0;

-- Signed notes, one for each time that something was sealed, or a key was changed.
CREATE TABLE roundledger.log_checkpoints (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    size bigint NOT NULL,
    last_position bigint NOT NULL,
    note text NOT NULL,
    sealed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX log_checkpoints_size ON roundledger.log_checkpoints (size);

-- Public keys, as a verifier reads them. The last one signs; the others are known for what they have signed.
CREATE TABLE roundledger.log_keys (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    reason text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER log_identity_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.log_identity
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.log_identity ENABLE ALWAYS TRIGGER log_identity_stays;

CREATE TRIGGER log_hashes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.log_hashes
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.log_hashes ENABLE ALWAYS TRIGGER log_hashes_stay;

CREATE TRIGGER log_checkpoints_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.log_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.log_checkpoints ENABLE ALWAYS TRIGGER log_checkpoints_stay;

CREATE TRIGGER log_keys_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.log_keys
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.log_keys ENABLE ALWAYS TRIGGER log_keys_stay;
