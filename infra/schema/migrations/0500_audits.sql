-- Audits that were asked for over HTTP: how far each is, what it found, and how it ended. Whoever runs one says every few
-- seconds that he still does; one that has not been heard of for a minute was abandoned with its process.

CREATE TABLE roundledger.audits (
    audit_id text PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    started_by text NOT NULL,
    asked text NOT NULL,  -- what was asked for, as JSON
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed', 'stopped', 'abandoned')),
    heard_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    done bigint NOT NULL DEFAULT 0,
    total bigint NOT NULL DEFAULT 0,
    rounds bigint NOT NULL DEFAULT 0,
    findings bigint NOT NULL DEFAULT 0,
    summary text,  -- at its end, as JSON
    error text
);
-- One at a time: an audit uses every core that it is given.
CREATE UNIQUE INDEX audits_running ON roundledger.audits ((true)) WHERE state = 'running';

CREATE TABLE roundledger.audit_findings (
    audit_id text NOT NULL,
    number bigint NOT NULL,
    finding text NOT NULL,  -- as JSON
    PRIMARY KEY (audit_id, number)
);

CREATE TRIGGER audit_findings_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.audit_findings
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.audit_findings ENABLE ALWAYS TRIGGER audit_findings_stay;
CREATE TRIGGER audits_stay BEFORE DELETE OR TRUNCATE ON roundledger.audits
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.audits ENABLE ALWAYS TRIGGER audits_stay;
