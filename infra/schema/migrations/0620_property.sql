-- What the property calls itself, and its address, as pages and papers show them. One row for each change; the last one
-- counts. The service adds rows and changes none.

CREATE TABLE roundledger.property_names (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    address text NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER property_names_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.property_names
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.property_names ENABLE ALWAYS TRIGGER property_names_stay;
