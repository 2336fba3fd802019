-- What is sealed is opened by functions only, and only for a database session that has put itself on record first: who
-- logged in, from where, with which program. The row must be committed before anything is opened, so that nobody reads a
-- card and takes the trace back with the transaction. The write path opens one aggregate at a time.

CREATE TABLE roundledger.seal_sessions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    announced_at timestamptz NOT NULL DEFAULT now(),
    login text NOT NULL,
    address text NOT NULL,
    program text NOT NULL,
    backend_pid integer NOT NULL,
    secret text NOT NULL UNIQUE  -- which the session alone knows; of no use to another, who would have to be on record as well
);
CREATE TRIGGER seal_sessions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.seal_sessions
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.seal_sessions ENABLE ALWAYS TRIGGER seal_sessions_stay;

CREATE FUNCTION roundledger.announce_session() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    new_secret text := gen_random_uuid();
BEGIN
    INSERT INTO roundledger.seal_sessions (login, address, program, backend_pid, secret)
    VALUES (session_user, coalesce(host(inet_client_addr()), 'local'), current_setting('application_name'),
        pg_backend_pid(), new_secret);
    PERFORM set_config('roundledger.session', new_secret, false);
END
$$;

CREATE FUNCTION roundledger.is_announced() RETURNS boolean LANGUAGE sql STABLE
    AS $$
    SELECT EXISTS (SELECT FROM roundledger.seal_sessions
        WHERE secret = pg_catalog.current_setting('roundledger.session', true)
            AND announced_at < pg_catalog.transaction_timestamp())
$$;

CREATE FUNCTION roundledger.refuse_opening() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE object_not_in_prerequisite_state
        USING MESSAGE = 'This session is not on record: what is sealed stays closed.',
              HINT = 'Call roundledger.announce_session() first, in a transaction of its own.';
END
$$;

-- Of one aggregate, in the order of its events.
CREATE FUNCTION roundledger.open_seals(of_originator uuid)
    RETURNS TABLE (originator_version integer, card_index smallint, card text, salt bytea)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT roundledger.is_announced() THEN
        PERFORM roundledger.refuse_opening();
    END IF;
    RETURN QUERY
    SELECT s.originator_version, s.card_index, s.card, s.salt
    FROM roundledger.sealed_cards s JOIN roundledger.originators o USING (originator)
    WHERE o.originator_id = of_originator ORDER BY s.originator_version, s.card_index;
END
$$;

-- Of many, for an audit, which is on record itself.
CREATE FUNCTION roundledger.open_seals_for_audit(of_originators integer[])
    RETURNS TABLE (originator integer, originator_version integer, card_index smallint, card text, salt bytea)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT roundledger.is_announced() THEN
        PERFORM roundledger.refuse_opening();
    END IF;
    RETURN QUERY
    SELECT s.originator, s.originator_version, s.card_index, s.card, s.salt
    FROM roundledger.sealed_cards s WHERE s.originator = ANY(of_originators);
END
$$;
