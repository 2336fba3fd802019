-- What is written together with events, and the one function that writes it all.

-- The opening of the commitment that an event of a card dealt face down carries. Apart from the events, so that nothing
-- that copies events can leak a card; only the write path's role may read it.
CREATE TABLE roundledger.sealed_cards (
    originator integer NOT NULL,
    originator_version integer NOT NULL,
    card_index smallint NOT NULL,
    card text NOT NULL,
    salt bytea NOT NULL,
    PRIMARY KEY (originator, originator_version, card_index)
);

-- A request that must be stored once: its key, a hash of its content, and the answer it got.
CREATE TABLE roundledger.receipts (
    key text PRIMARY KEY,
    fingerprint bytea NOT NULL,
    outcome bytea NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

-- How far each reader of the events has come. Its own table, not history: it is updated.
CREATE TABLE roundledger.tracking (
    application_name text PRIMARY KEY,
    notification_id bigint NOT NULL
);

CREATE TRIGGER sealed_cards_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.sealed_cards
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.sealed_cards ENABLE ALWAYS TRIGGER sealed_cards_stay;

CREATE TRIGGER receipts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.receipts
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.receipts ENABLE ALWAYS TRIGGER receipts_stay;

-- Appends the events of one or several originators, all or none, and returns their positions in the order given.
-- `owners` and `sealed_owners` are indexes, from 1, into `originator_ids`. Somebody who wrote the same version, or created
-- the same originator, first makes this fail with a unique violation: that is the whole of the concurrency control.
-- Runs with the rights of the caller.
CREATE FUNCTION roundledger.append(
    originator_ids uuid[],
    owners integer[],
    versions integer[],
    topic_ids smallint[],
    states bytea[],
    sealed_owners integer[] DEFAULT NULL,
    sealed_versions integer[] DEFAULT NULL,
    sealed_indexes smallint[] DEFAULT NULL,
    sealed_cards text[] DEFAULT NULL,
    sealed_salts bytea[] DEFAULT NULL,
    receipt_keys text[] DEFAULT NULL,
    receipt_fingerprints bytea[] DEFAULT NULL,
    receipt_outcomes bytea[] DEFAULT NULL
) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    id uuid;
    number integer;
    numbers integer[];
BEGIN
    FOREACH id IN ARRAY originator_ids LOOP
        SELECT o.originator INTO number FROM roundledger.originators o WHERE o.originator_id = id;
        IF NOT FOUND THEN
            INSERT INTO roundledger.originators AS o (originator_id) VALUES (id) RETURNING o.originator INTO number;
        END IF;
        numbers := numbers || number;
    END LOOP;

    IF receipt_keys IS NOT NULL THEN
        INSERT INTO roundledger.receipts (key, fingerprint, outcome)
        SELECT * FROM unnest(receipt_keys, receipt_fingerprints, receipt_outcomes);
    END IF;

    IF sealed_owners IS NOT NULL THEN
        INSERT INTO roundledger.sealed_cards (originator, originator_version, card_index, card, salt)
        SELECT numbers[s.owner], s.version, s.card_index, s.card, s.salt
        FROM unnest(sealed_owners, sealed_versions, sealed_indexes, sealed_cards, sealed_salts)
            AS s (owner, version, card_index, card, salt);
    END IF;

    RETURN QUERY
    INSERT INTO roundledger.events AS e (originator, originator_version, topic_id, state)
    SELECT numbers[g.owner], g.version, g.topic_id, g.state
    FROM unnest(owners, versions, topic_ids, states) AS g (owner, version, topic_id, state)
    RETURNING e.position;
END
$$;
