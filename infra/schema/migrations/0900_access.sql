-- Tokens are part of the record: whose they are, what they grant, and the two people who granted it. A change of who may
-- do what names its second signature. Wrong passwords lock nobody out: what slows them down is in the program, by address
-- and by id, and a device on which somebody has signed in is known again.

ALTER TABLE roundledger.people_changes ADD COLUMN second text;  -- whoever signed with changed_by

CREATE TABLE roundledger.tokens (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_id text NOT NULL UNIQUE,
    holder text NOT NULL,
    machine boolean NOT NULL,  -- the holder was on no staff register when it was made
    part text NOT NULL,        -- a role; a terminal's with its table: terminal:t1
    way text NOT NULL,         -- token: made with the service's key; claim: by an identity provider
    made_at timestamptz NOT NULL DEFAULT now(),  -- or first seen, where it was made elsewhere
    made_by text NOT NULL,
    second text,
    ends_at timestamptz NOT NULL
);
CREATE INDEX tokens_of ON roundledger.tokens (holder);
CREATE TRIGGER tokens_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.tokens
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.tokens ENABLE ALWAYS TRIGGER tokens_stay;

INSERT INTO roundledger.tokens (token_id, holder, machine, part, way, made_at, made_by, ends_at)
SELECT found[1], c.staff_id, NOT EXISTS (SELECT FROM roundledger.people p WHERE p.staff_id = c.staff_id), found[2], 'token',
    c.changed_at, c.changed_by, c.changed_at + least(found[3]::float8, 36500) * interval '1 day'
FROM roundledger.people_changes c, regexp_match(c.change, '^token (.*): (\S+), ([0-9.e+-]+) days$') AS found
WHERE found IS NOT NULL ORDER BY c.change_id ON CONFLICT DO NOTHING;

-- When a token was last used, to within some minutes. No record: it changes.
CREATE TABLE roundledger.token_uses (
    token_id text PRIMARY KEY,
    used_at timestamptz NOT NULL DEFAULT now()
);

-- Browsers in which somebody has signed in, by a hash of their cookie. No record: what is forgotten is known no more.
CREATE TABLE roundledger.devices (
    device_hash bytea NOT NULL,
    staff_id text NOT NULL REFERENCES roundledger.people,
    known_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (device_hash, staff_id)
);

CREATE FUNCTION roundledger.remember_device(staff text, device bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    INSERT INTO roundledger.devices (device_hash, staff_id) VALUES (device, staff)
    ON CONFLICT (device_hash, staff_id) DO UPDATE SET known_at = now()
$$;

CREATE FUNCTION roundledger.use_token(token text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    INSERT INTO roundledger.token_uses (token_id) VALUES (token) ON CONFLICT (token_id) DO UPDATE SET used_at = now()
$$;

-- ---- people, with the second signature of a change

DROP FUNCTION roundledger.add_person(text, text, text[], text, text, boolean);
DROP FUNCTION roundledger.change_person(text, text, text[], text, boolean, bytea);
DROP FUNCTION roundledger.record_person(text, text, text);

CREATE FUNCTION roundledger.record_person(staff text, by_whom text, signed_with text, said text) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS $$
    INSERT INTO roundledger.people_changes (changed_by, second, staff_id, change, became)
    SELECT by_whom, signed_with, staff, said, roundledger.person_digest(p)
    FROM roundledger.people p WHERE p.staff_id = staff
$$;

-- Those who can sign a grant.
CREATE FUNCTION roundledger.admins() RETURNS bigint LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT count(*) FROM roundledger.people WHERE NOT disabled AND 'admin' = ANY(parts) $$;

-- `at_most_admins`: only while there are no more admins than that; null at any time.
CREATE FUNCTION roundledger.add_person(
    staff text, full_name text, its_parts text[], password_hash text, by_whom text, signed_with text,
    at_most_admins integer
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('roundledger.people'));
    IF at_most_admins IS NOT NULL AND roundledger.admins() > at_most_admins THEN
        RAISE check_violation USING MESSAGE = 'There are two admins already, who can add others.';
    END IF;
    IF EXISTS (SELECT FROM roundledger.tokens WHERE holder = staff AND machine AND ends_at > now()
            AND token_id NOT IN (SELECT token_id FROM roundledger.revoked_tokens)) THEN
        RAISE check_violation USING MESSAGE = format('%s is a machine with a token. Choose another id, or revoke the token.', staff);
    END IF;
    INSERT INTO roundledger.people (staff_id, name, parts, password)
    VALUES (staff, full_name, its_parts, password_hash) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE check_violation USING MESSAGE = format('There is somebody with the id %s already.', staff);
    END IF;
    PERFORM roundledger.record_person(staff, by_whom, signed_with, 'added: ' || array_to_string(its_parts, ', '));
END
$$;

-- What is null stays as it is. `keep`: the session that goes on when its owner gives a new password. Whoever is disabled
-- loses their tokens for good, and everybody who listens is asked again at once whether they may.
CREATE FUNCTION roundledger.change_person(
    staff text, by_whom text, signed_with text, new_parts text[], password_hash text, now_disabled boolean, keep bytea
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
        PERFORM roundledger.record_person(staff, by_whom, signed_with, 'parts: ' || array_to_string(new_parts, ', '));
        PERFORM roundledger.end_sessions(staff, new_parts, NULL);
    END IF;
    IF password_hash IS NOT NULL THEN
        UPDATE roundledger.people SET password = password_hash WHERE staff_id = staff;
        PERFORM roundledger.record_person(staff, by_whom, signed_with, 'password');
        PERFORM roundledger.end_sessions(staff, NULL, keep);
        IF by_whom <> staff THEN
            DELETE FROM roundledger.devices WHERE staff_id = staff;
        END IF;
    END IF;
    IF now_disabled IS NOT NULL THEN
        UPDATE roundledger.people SET disabled = now_disabled WHERE staff_id = staff;
        PERFORM roundledger.record_person(
            staff, by_whom, signed_with, CASE WHEN now_disabled THEN 'disabled' ELSE 'enabled' END);
        IF now_disabled THEN
            PERFORM roundledger.end_sessions(staff, NULL, NULL);
            DELETE FROM roundledger.devices WHERE staff_id = staff;
            INSERT INTO roundledger.revoked_tokens (token_id, revoked_by, reason)
            SELECT token_id, by_whom, format('%s was disabled.', staff) FROM roundledger.tokens
            WHERE holder = staff AND ends_at > now() ORDER BY number ON CONFLICT DO NOTHING;
        END IF;
    END IF;
    IF had_admin AND NOT roundledger.has_admin() THEN
        RAISE check_violation USING MESSAGE = 'That would leave no admin who can sign in.';
    END IF;
    PERFORM pg_notify('roundledger_events', 'access');
END
$$;

-- ---- signing in

-- Whether somebody has given their password: 'right' or 'wrong'. An attempt is recorded, with a second row where it was
-- right. Whoever tries too often is slowed down before this is asked.
CREATE OR REPLACE FUNCTION roundledger.prove(staff text, from_address text, password_hash text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO roundledger.sign_ins (staff_id, address, accepted) VALUES (staff, from_address, false);
    IF NOT EXISTS (SELECT FROM roundledger.people p
            WHERE p.staff_id = staff AND NOT p.disabled AND p.password = password_hash) THEN
        RETURN 'wrong';
    END IF;
    INSERT INTO roundledger.sign_ins (staff_id, address, accepted) VALUES (staff, from_address, true);
    RETURN 'right';
END
$$;
DROP FUNCTION roundledger.tried_too_often(text, text);
