-- The events of all aggregates, one row each, in one order (position).
--
-- Two look-up tables keep a row small, since a round has some sixty of them: a topic is two bytes instead of twenty,
-- and an originator four instead of sixteen, in the row and again in the index. The number of an originator grows, so
-- that new rounds are written side by side in the index even where their ids are hashes. Columns stand from the wide to the
-- narrow, which leaves no padding between them. No foreign keys: a check for each row would cost more than the row.

CREATE TABLE roundledger.topics (
    topic_id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL UNIQUE
);

CREATE TABLE roundledger.originators (
    originator integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    originator_id uuid NOT NULL UNIQUE
);

CREATE TABLE roundledger.events (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    originator integer NOT NULL,
    originator_version integer NOT NULL,
    topic_id smallint NOT NULL,
    state bytea NOT NULL,
    UNIQUE (originator, originator_version)
);

-- For people: SELECT * FROM roundledger.event_log WHERE originator_id = '...' ORDER BY position;
CREATE VIEW roundledger.event_log WITH (security_invoker = true) AS
SELECT position, recorded_at, originator_id, originator_version, topic, convert_from(state, 'UTF8') AS state
FROM roundledger.events
JOIN roundledger.originators USING (originator)
JOIN roundledger.topics USING (topic_id);

CREATE FUNCTION roundledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on %.% is refused: what is recorded stays as it is', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'modifying_sql_data_not_permitted',
              HINT = 'A mistake is corrected by a further event.';
END
$$;

-- ALWAYS: session_replication_role = replica, which a superuser can set, does not switch them off.
CREATE TRIGGER topics_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.topics
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.topics ENABLE ALWAYS TRIGGER topics_stay;

CREATE TRIGGER originators_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.originators
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.originators ENABLE ALWAYS TRIGGER originators_stay;

CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.events
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.events ENABLE ALWAYS TRIGGER events_stay;
