-- The schemas of the reports' tables, which programs used to make on the fly with whatever rights they had. Schemas and
-- settings belong to the owner of the ledger, like its other tables; the reports' own tables belong to a role that owns
-- nothing else (roles.sql), so that whoever makes and replaces them needs no more rights than that.

CREATE SCHEMA IF NOT EXISTS projections;
CREATE SCHEMA IF NOT EXISTS projections_rebuild;

CREATE TABLE IF NOT EXISTS projections.positions (
    name text NOT NULL,
    place text NOT NULL,
    position bigint NOT NULL,
    fingerprint text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, place)
);

CREATE TABLE IF NOT EXISTS projections.gaming_days (
    from_day date PRIMARY KEY,
    time_zone text NOT NULL,
    shifts text NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE TRIGGER gaming_days_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON projections.gaming_days
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE projections.gaming_days ENABLE ALWAYS TRIGGER gaming_days_stay;
