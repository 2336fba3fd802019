-- People, passwords and sessions are reached by functions that record what they do. They run with the rights of the
-- ledger's owner; the service has none on the tables beyond reading what is no secret. A password's hash never leaves the
-- database: whoever signs in sends what they derive from it, and is told whether that is right.

CREATE FUNCTION roundledger.record_person(staff text, by_whom text, said text) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS $$
    INSERT INTO roundledger.people_changes (changed_by, staff_id, change, became)
    SELECT by_whom, staff, said, roundledger.person_digest(p) FROM roundledger.people p WHERE p.staff_id = staff
$$;

CREATE FUNCTION roundledger.add_person(
    staff text, full_name text, its_parts text[], password_hash text, by_whom text, only_first boolean
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('roundledger.people'));
    IF only_first AND EXISTS (SELECT FROM roundledger.people) THEN
        RAISE check_violation USING MESSAGE = 'There is somebody already, who can add others.';
    END IF;
    INSERT INTO roundledger.people (staff_id, name, parts, password)
    VALUES (staff, full_name, its_parts, password_hash) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE check_violation USING MESSAGE = format('There is somebody with the id %s already.', staff);
    END IF;
    PERFORM roundledger.record_person(staff, by_whom, 'added: ' || array_to_string(its_parts, ', '));
END
$$;

CREATE FUNCTION roundledger.has_admin() RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT EXISTS (SELECT FROM roundledger.people WHERE NOT disabled AND 'admin' = ANY(parts)) $$;

CREATE FUNCTION roundledger.end_sessions(staff text, unless_part text[], unless_cookie bytea) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS $$
    WITH ended AS (
        UPDATE roundledger.sessions SET ended_at = now()
        WHERE staff_id = staff AND ended_at IS NULL
            AND (unless_part IS NULL OR NOT part = ANY(unless_part)) AND cookie_hash IS DISTINCT FROM unless_cookie
        RETURNING cookie_hash, staff_id, part
    )
    INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part, ended)
    SELECT cookie_hash, staff_id, part, true FROM ended
$$;

-- What is null stays as it is. `keep`: the session that goes on when its owner gives a new password.
CREATE FUNCTION roundledger.change_person(
    staff text, by_whom text, new_parts text[], password_hash text, now_disabled boolean, keep bytea
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    had_admin boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('roundledger.people'));
    had_admin := roundledger.has_admin();
    IF NOT EXISTS (SELECT FROM roundledger.people WHERE staff_id = staff) THEN
        RAISE check_violation USING MESSAGE = format('There is nobody with the id %s.', staff);
    END IF;
    IF new_parts IS NOT NULL THEN
        UPDATE roundledger.people SET parts = new_parts WHERE staff_id = staff;
        PERFORM roundledger.record_person(staff, by_whom, 'parts: ' || array_to_string(new_parts, ', '));
        PERFORM roundledger.end_sessions(staff, new_parts, NULL);
    END IF;
    IF password_hash IS NOT NULL THEN
        UPDATE roundledger.people SET password = password_hash WHERE staff_id = staff;
        PERFORM roundledger.record_person(staff, by_whom, 'password');
        PERFORM roundledger.end_sessions(staff, NULL, keep);
    END IF;
    IF now_disabled IS NOT NULL THEN
        UPDATE roundledger.people SET disabled = now_disabled WHERE staff_id = staff;
        PERFORM roundledger.record_person(staff, by_whom, CASE WHEN now_disabled THEN 'disabled' ELSE 'enabled' END);
        IF now_disabled THEN
            PERFORM roundledger.end_sessions(staff, NULL, NULL);
        END IF;
    END IF;
    IF had_admin AND NOT roundledger.has_admin() THEN
        RAISE check_violation USING MESSAGE = 'That would leave no admin who can sign in.';
    END IF;
END
$$;

-- ---- signing in

-- Ten failures of one person since their last success, or fifty from one address, within a quarter of an hour are enough.
CREATE FUNCTION roundledger.tried_too_often(staff text, from_address text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT count(*) FILTER (WHERE staff_id = staff AND sign_in_id > coalesce((SELECT max(sign_in_id)
            FROM roundledger.sign_ins WHERE staff_id = staff AND accepted), 0)) >= 10
        OR count(*) FILTER (WHERE address = from_address)
            - 2 * count(*) FILTER (WHERE address = from_address AND accepted) >= 50
    FROM roundledger.sign_ins
    WHERE (staff_id = staff OR address = from_address) AND tried_at > now() - interval '15 minutes'
$$;

-- How a password's hash begins: all that is needed to derive the rest of it from the password. Null where there is nobody.
CREATE FUNCTION roundledger.password_salt(staff text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ SELECT regexp_replace(password, '[^$]*$', '') FROM roundledger.people WHERE staff_id = staff $$;

-- Whether somebody has given their password: 'right', 'wrong' or 'too often'. An attempt is recorded, with a second row where
-- it was right. One after the other for a person and for an address, so that many at once cannot outrun the limit; what
-- comes after too many leaves nothing behind.
CREATE FUNCTION roundledger.prove(staff text, from_address text, password_hash text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('roundledger.sign_in'), hashtext(staff));
    PERFORM pg_advisory_xact_lock(hashtext('roundledger.sign_in_from'), hashtext(from_address));
    IF roundledger.tried_too_often(staff, from_address) THEN
        RETURN 'too often';
    END IF;
    INSERT INTO roundledger.sign_ins (staff_id, address, accepted) VALUES (staff, from_address, false);
    IF NOT EXISTS (SELECT FROM roundledger.people p
            WHERE p.staff_id = staff AND NOT p.disabled AND p.password = password_hash) THEN
        RETURN 'wrong';
    END IF;
    INSERT INTO roundledger.sign_ins (staff_id, address, accepted) VALUES (staff, from_address, true);
    RETURN 'right';
END
$$;

-- The same, and where it was right a session under the hash of its cookie, in the first of their parts.
CREATE FUNCTION roundledger.sign_in(staff text, from_address text, password_hash text, cookie bytea) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    answer text := roundledger.prove(staff, from_address, password_hash);
BEGIN
    IF answer = 'right' THEN
        INSERT INTO roundledger.sessions (cookie_hash, staff_id, part)
        SELECT cookie, p.staff_id, p.parts[1] FROM roundledger.people p WHERE p.staff_id = staff;
        INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part)
        SELECT s.cookie_hash, s.staff_id, s.part FROM roundledger.sessions s WHERE s.cookie_hash = cookie;
    END IF;
    RETURN answer;
END
$$;

-- When a session was last used is no record.
CREATE FUNCTION roundledger.use_session(cookie bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ UPDATE roundledger.sessions SET seen_at = now() WHERE cookie_hash = cookie $$;

-- False where the part is none of theirs.
CREATE FUNCTION roundledger.take_part(cookie bytea, new_part text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE roundledger.sessions s SET part = new_part FROM roundledger.people p
    WHERE s.cookie_hash = cookie AND s.ended_at IS NULL AND p.staff_id = s.staff_id AND new_part = ANY(p.parts);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part)
    SELECT s.cookie_hash, s.staff_id, s.part FROM roundledger.sessions s WHERE s.cookie_hash = cookie;
    RETURN true;
END
$$;

CREATE FUNCTION roundledger.sign_out(cookie bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    WITH ended AS (
        UPDATE roundledger.sessions SET ended_at = now() WHERE cookie_hash = cookie AND ended_at IS NULL
        RETURNING cookie_hash, staff_id, part
    )
    INSERT INTO roundledger.session_changes (cookie_hash, staff_id, part, ended)
    SELECT cookie_hash, staff_id, part, true FROM ended
$$;
