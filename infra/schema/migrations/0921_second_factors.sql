-- Second factors, and sign-ins that take more than one request: a password and then a code or a passkey, or an identity
-- provider and then the same. The database cannot check a code, a passkey's signature or a provider's word; it can and does
-- record who is said to have given them, and lets nobody use the same one twice.

ALTER TABLE roundledger.sign_ins ADD COLUMN way text NOT NULL DEFAULT 'password';

-- Roles of this session alone, by a claim of the identity provider; and how its owner proved who they are: 'password',
-- 'provider' or 'passkey', with what came second: 'password and totp'.
ALTER TABLE roundledger.sessions ADD COLUMN claimed text[] NOT NULL DEFAULT '{}';
ALTER TABLE roundledger.sessions ADD COLUMN way text NOT NULL DEFAULT 'password';
ALTER TABLE roundledger.session_changes ADD COLUMN claimed text[] NOT NULL DEFAULT '{}';
ALTER TABLE roundledger.session_changes ADD COLUMN way text NOT NULL DEFAULT 'password';

-- A proof of who somebody is, under way: what has to come back, under the hash of what the browser keeps. No record.
CREATE TABLE roundledger.proofs (
    proof_hash bytea PRIMARY KEY,
    kind text NOT NULL,
    staff_id text,  -- whose, once that is known
    state text NOT NULL,  -- of the first half of a sign-in, how that was given
    claimed text[] NOT NULL DEFAULT '{}',
    began_at timestamptz NOT NULL DEFAULT now(),
    tries integer NOT NULL DEFAULT 0
);
CREATE INDEX proofs_began ON roundledger.proofs (began_at);

-- Which roles must have a second factor. The last row counts.
CREATE TABLE roundledger.factor_demands (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    roles text[] NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER factor_demands_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.factor_demands
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.factor_demands ENABLE ALWAYS TRIGGER factor_demands_stay;

-- ---- proofs under way

CREATE FUNCTION roundledger.begin_proof(proof bytea, its_kind text, staff text, its_state text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    DELETE FROM roundledger.proofs WHERE began_at < now() - interval '1 hour';
    INSERT INTO roundledger.proofs (proof_hash, kind, staff_id, state)
    SELECT proof, its_kind, staff, its_state WHERE its_kind <> 'second';  -- which only a sign-in begins
$$;

-- Whose it is and what has to come back: once, and for ten minutes.
CREATE FUNCTION roundledger.end_proof(proof bytea, its_kind text) RETURNS TABLE (staff text, its_state text)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    DELETE FROM roundledger.proofs WHERE proof_hash = proof AND kind = its_kind AND kind <> 'second'
        AND began_at > now() - interval '10 minutes'
    RETURNING staff_id, state
$$;

-- Somebody who has given their password, or whose provider has named them, and has to give a second factor: five times,
-- and for ten minutes.
CREATE FUNCTION roundledger.second_step(proof bytea) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT staff_id FROM roundledger.proofs
    WHERE proof_hash = proof AND kind = 'second' AND tries < 5 AND began_at > now() - interval '10 minutes'
$$;

-- ---- factors

CREATE FUNCTION roundledger.has_factor(staff text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT EXISTS (SELECT FROM roundledger.secrets
        WHERE staff_id = staff AND kind IN ('totp', 'passkey') AND ended_at IS NULL)
$$;

CREATE FUNCTION roundledger.add_factor(
    staff text, by_whom text, its_kind text, its_name text, its_secret bytea, its_handle bytea, its_counter bigint
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_number bigint;
BEGIN
    IF its_kind NOT IN ('totp', 'passkey', 'recovery') THEN
        RAISE check_violation USING MESSAGE = format('%s is no second factor.', its_kind);
    END IF;
    INSERT INTO roundledger.secrets (staff_id, kind, name, secret, handle, counter)
    VALUES (staff, its_kind, its_name, its_secret, its_handle, its_counter)
    ON CONFLICT DO NOTHING RETURNING number INTO its_number;
    IF its_number IS NULL THEN
        RAISE check_violation USING MESSAGE = 'That passkey is registered already.';
    END IF;
    PERFORM roundledger.record_secret(its_number, by_whom, 'added');
    RETURN its_number;
END
$$;

-- Factors of these kinds, or one of them, by its number; how many that were.
CREATE FUNCTION roundledger.end_factors(staff text, by_whom text, kinds text[], its_number bigint, why text)
    RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ended bigint;
    ended_here bigint := 0;
BEGIN
    FOR ended IN
        UPDATE roundledger.secrets SET ended_at = now()
        WHERE staff_id = staff AND kind = ANY(kinds) AND kind <> 'password' AND ended_at IS NULL
            AND (its_number IS NULL OR number = its_number)
        RETURNING number
    LOOP
        PERFORM roundledger.record_secret(ended, by_whom, why);
        ended_here := ended_here + 1;
    END LOOP;
    RETURN ended_here;
END
$$;

-- Seeds and public keys, for a database session that is on record, as sealed cards are (0603).
CREATE FUNCTION roundledger.open_factors(staff text, its_kind text)
    RETURNS TABLE (number bigint, secret bytea, handle bytea, counter bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT roundledger.is_announced() THEN
        PERFORM roundledger.refuse_opening();
    END IF;
    IF its_kind = 'totp' THEN
        INSERT INTO roundledger.secret_changes (changed_by, staff_id, kind, change)
        VALUES (staff, staff, its_kind, 'seed read');
    END IF;
    RETURN QUERY
    SELECT s.number, s.secret, s.handle, s.counter FROM roundledger.secrets s
    WHERE s.staff_id = staff AND s.kind = its_kind AND s.kind IN ('totp', 'passkey') AND s.ended_at IS NULL;
END
$$;

CREATE FUNCTION roundledger.passkey_owner(its_handle bytea) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT s.staff_id FROM roundledger.secrets s JOIN roundledger.people p USING (staff_id)
    WHERE s.handle = its_handle AND s.kind = 'passkey' AND s.ended_at IS NULL AND NOT p.disabled
$$;

-- Which kind of factor was used; null where it is not theirs or was used before. A recovery code, given by its hash, ends.
CREATE FUNCTION roundledger.use_factor(staff text, from_address text, its_number bigint, its_counter bigint, code bytea)
    RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    used record;
BEGIN
    UPDATE roundledger.secrets s SET used_at = now(), counter = coalesce(its_counter, s.counter),
        ended_at = CASE WHEN s.kind = 'recovery' THEN now() END
    FROM roundledger.people p
    WHERE s.staff_id = staff AND p.staff_id = staff AND NOT p.disabled AND s.ended_at IS NULL AND (
        s.number = its_number AND s.kind IN ('totp', 'passkey')
            AND (its_counter > s.counter OR s.kind = 'passkey' AND its_counter = 0 AND s.counter = 0)
        OR s.kind = 'recovery' AND s.secret = code)
    RETURNING s.number, s.kind INTO used;
    IF used IS NULL THEN
        INSERT INTO roundledger.sign_ins (staff_id, address, accepted, way) VALUES (staff, from_address, false, 'second factor');
        RETURN NULL;
    END IF;
    INSERT INTO roundledger.sign_ins (staff_id, address, accepted, way) VALUES (staff, from_address, true, used.kind);
    PERFORM roundledger.record_secret(used.number, staff, 'used');
    RETURN used.kind;
END
$$;

-- ---- sessions

CREATE FUNCTION roundledger.open_session(staff text, cookie bytea, its_claimed text[], its_way text) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS $$
    INSERT INTO roundledger.sessions (cookie_hash, staff_id, part, claimed, way)
    SELECT cookie, p.staff_id, p.parts[1], its_claimed, its_way FROM roundledger.people p WHERE p.staff_id = staff;
    INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part, claimed, way)
    SELECT s.cookie_hash, s.staff_id, s.part, s.claimed, s.way FROM roundledger.sessions s WHERE s.cookie_hash = cookie;
$$;

-- A session; or, where somebody has a second factor, the first half of one: 'second'.
CREATE FUNCTION roundledger.open_or_ask(staff text, cookie bytea, its_claimed text[], its_way text) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF roundledger.has_factor(staff) THEN
        INSERT INTO roundledger.proofs (proof_hash, kind, staff_id, state, claimed)
        VALUES (cookie, 'second', staff, its_way, its_claimed);
        RETURN 'second';
    END IF;
    PERFORM roundledger.open_session(staff, cookie, its_claimed, its_way);
    RETURN 'right';
END
$$;

CREATE OR REPLACE FUNCTION roundledger.sign_in(staff text, from_address text, password_hash text, cookie bytea)
    RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    answer text := roundledger.prove(staff, from_address, password_hash);
BEGIN
    IF answer <> 'right' THEN
        RETURN answer;
    END IF;
    RETURN roundledger.open_or_ask(staff, cookie, '{}', 'password');
END
$$;

-- On the word of the identity provider; `twice`: which asked for a second factor itself.
CREATE FUNCTION roundledger.sign_in_by_provider(
    staff text, from_address text, cookie bytea, its_claimed text[], twice boolean
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known boolean := EXISTS (SELECT FROM roundledger.people WHERE staff_id = staff AND NOT disabled);
BEGIN
    INSERT INTO roundledger.sign_ins (staff_id, address, accepted, way) VALUES (staff, from_address, known, 'provider');
    IF NOT known THEN
        RETURN 'wrong';
    END IF;
    IF twice THEN
        PERFORM roundledger.open_session(staff, cookie, its_claimed, 'provider and its own');
        RETURN 'right';
    END IF;
    RETURN roundledger.open_or_ask(staff, cookie, its_claimed, 'provider');
END
$$;

-- The second half: 'right', 'wrong', or 'ended' where the first is too long ago or this was tried too often.
CREATE FUNCTION roundledger.finish_sign_in(
    proof bytea, from_address text, its_number bigint, its_counter bigint, code bytea, cookie bytea
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    staff text := roundledger.second_step(proof);
    used text;
    begun record;
BEGIN
    IF staff IS NULL THEN
        RETURN 'ended';
    END IF;
    UPDATE roundledger.proofs SET tries = tries + 1 WHERE proof_hash = proof;
    used := roundledger.use_factor(staff, from_address, its_number, its_counter, code);
    IF used IS NULL THEN
        RETURN 'wrong';
    END IF;
    DELETE FROM roundledger.proofs WHERE proof_hash = proof RETURNING claimed, state INTO begun;
    PERFORM roundledger.open_session(staff, cookie, begun.claimed, begun.state || ' and ' || used);
    RETURN 'right';
END
$$;

CREATE OR REPLACE FUNCTION roundledger.take_part(cookie bytea, new_part text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE roundledger.sessions s SET part = new_part FROM roundledger.people p
    WHERE s.cookie_hash = cookie AND s.ended_at IS NULL AND p.staff_id = s.staff_id AND new_part = ANY(p.parts || s.claimed);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part, claimed, way)
    SELECT s.cookie_hash, s.staff_id, s.part, s.claimed, s.way FROM roundledger.sessions s WHERE s.cookie_hash = cookie;
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION roundledger.sign_out(cookie bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    WITH ended AS (
        UPDATE roundledger.sessions SET ended_at = now() WHERE cookie_hash = cookie AND ended_at IS NULL
        RETURNING cookie_hash, staff_id, part, claimed, way
    )
    INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part, claimed, way, ended)
    SELECT cookie_hash, staff_id, part, claimed, way, true FROM ended
$$;

CREATE OR REPLACE FUNCTION roundledger.end_sessions(staff text, unless_part text[], unless_cookie bytea) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS $$
    WITH ended AS (
        UPDATE roundledger.sessions SET ended_at = now()
        WHERE staff_id = staff AND ended_at IS NULL
            AND (unless_part IS NULL OR NOT part = ANY(unless_part)) AND cookie_hash IS DISTINCT FROM unless_cookie
        RETURNING cookie_hash, staff_id, part, claimed, way
    ), given_up AS (
        DELETE FROM roundledger.proofs WHERE staff_id = staff
    )
    INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part, claimed, way, ended)
    SELECT cookie_hash, staff_id, part, claimed, way, true FROM ended
$$;

CREATE OR REPLACE FUNCTION roundledger.trail_differences() RETURNS TABLE (source text, subject text, what text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    WITH changed AS (
        SELECT DISTINCT ON (staff_id) staff_id, became FROM roundledger.people_changes
        WHERE became IS NOT NULL ORDER BY staff_id, change_id DESC
    )
    SELECT 'people', coalesce(p.staff_id, c.staff_id),
        CASE WHEN p.staff_id IS NULL THEN 'deleted' WHEN c.staff_id IS NULL THEN 'inserted' ELSE 'changed' END
    FROM roundledger.people p FULL JOIN changed c USING (staff_id)
    WHERE roundledger.person_digest(p) IS DISTINCT FROM c.became

    UNION ALL
    SELECT * FROM (
        WITH first AS (
            SELECT DISTINCT ON (cookie_hash) cookie_hash, changed_at FROM roundledger.session_changes
            ORDER BY cookie_hash, change_id
        ), last AS (
            SELECT DISTINCT ON (cookie_hash) cookie_hash, staff_id, part, claimed, way, ended, changed_at
            FROM roundledger.session_changes ORDER BY cookie_hash, change_id DESC
        )
        SELECT 'sessions', coalesce(s.staff_id, l.staff_id) || ' since '
                || to_char(coalesce(s.began_at, f.changed_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
            CASE WHEN s.cookie_hash IS NULL THEN 'deleted' WHEN l.cookie_hash IS NULL THEN 'inserted' ELSE 'changed' END
        FROM roundledger.sessions s
        FULL JOIN (last l JOIN first f USING (cookie_hash)) ON l.cookie_hash = s.cookie_hash
        WHERE ROW(s.staff_id, s.part, s.claimed, s.way, s.began_at, s.ended_at) IS DISTINCT FROM
            ROW(l.staff_id, l.part, l.claimed, l.way, f.changed_at, CASE WHEN l.ended THEN l.changed_at END)
    ) AS sessions
$$;
