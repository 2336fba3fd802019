-- What an audit reports without holding it against the ledger, apart from its findings.

ALTER TABLE roundledger.audits ADD COLUMN notes bigint NOT NULL DEFAULT 0;

CREATE TABLE roundledger.audit_notes (
    audit_id text NOT NULL,
    number bigint NOT NULL,
    note text NOT NULL,  -- as JSON
    PRIMARY KEY (audit_id, number)
);

CREATE TRIGGER audit_notes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.audit_notes
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.audit_notes ENABLE ALWAYS TRIGGER audit_notes_stay;
