-- Recorded times never go back. Where the server's clock shows an earlier time than the last event was recorded at, because
-- it was set back or because two appends overlapped, an event is recorded at the time of that last event.

-- The service may not name a time of recording, so this runs with the rights of the ledger's owner. It takes no time from
-- its caller.
CREATE FUNCTION roundledger.insert_after_last(
    numbers integer[], owners integer[], versions integer[], topic_ids smallint[], states bytea[]
) RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    moment timestamptz := greatest(
        now(), (SELECT e.recorded_at FROM roundledger.events e ORDER BY e.position DESC LIMIT 1));
BEGIN
    RETURN QUERY
    INSERT INTO roundledger.events AS e (recorded_at, originator, originator_version, topic_id, state)
    SELECT moment, numbers[g.owner], g.version, g.topic_id, g.state
    FROM unnest(owners, versions, topic_ids, states) AS g (owner, version, topic_id, state)
    RETURNING e.position;
END
$$;

CREATE OR REPLACE FUNCTION roundledger.append(
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

    IF now() < (SELECT e.recorded_at FROM roundledger.events e ORDER BY e.position DESC LIMIT 1) THEN
        RETURN QUERY SELECT * FROM roundledger.insert_after_last(numbers, owners, versions, topic_ids, states);
        RETURN;
    END IF;

    RETURN QUERY
    INSERT INTO roundledger.events AS e (originator, originator_version, topic_id, state)
    SELECT numbers[g.owner], g.version, g.topic_id, g.state
    FROM unnest(owners, versions, topic_ids, states) AS g (owner, version, topic_id, state)
    RETURNING e.position;
END
$$;
