-- What people prove themselves with besides their present password: earlier passwords, which some properties do not let
-- them take again, and second factors. Reached by functions that record what they do, as people and passwords are.

CREATE TABLE roundledger.secrets (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    staff_id text NOT NULL REFERENCES roundledger.people,
    kind text NOT NULL CHECK (kind IN ('password', 'totp', 'passkey', 'recovery')),
    name text NOT NULL DEFAULT '',  -- what its owner calls it
    secret bytea NOT NULL,  -- a password's or a recovery code's hash, the seed of a TOTP, a passkey's public key
    handle bytea UNIQUE,  -- by which a browser knows a passkey
    counter bigint NOT NULL DEFAULT 0,  -- the last TOTP interval, or a passkey's own count: neither goes back
    added_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz,
    ended_at timestamptz
);
CREATE INDEX secrets_of ON roundledger.secrets (staff_id, kind) WHERE ended_at IS NULL;

-- Every change and every use; never the secret. By whom a password was set is among the changes of people.
CREATE TABLE roundledger.secret_changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by text NOT NULL,
    staff_id text NOT NULL,
    number bigint,  -- which secret; null for what concerns several
    kind text NOT NULL,
    change text NOT NULL,
    became bytea
);
CREATE INDEX secret_changes_of ON roundledger.secret_changes (number, change_id);
CREATE INDEX secret_changes_by_staff ON roundledger.secret_changes (staff_id, changed_at);
CREATE TRIGGER secret_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.secret_changes
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.secret_changes ENABLE ALWAYS TRIGGER secret_changes_stay;

CREATE FUNCTION roundledger.secret_digest(of_secret roundledger.secrets) RETURNS bytea LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD' SET bytea_output = 'hex'
    AS $$
    SELECT sha256(convert_to(ROW(of_secret.number, of_secret.staff_id, of_secret.kind, of_secret.name, of_secret.secret,
        of_secret.handle, of_secret.counter, of_secret.added_at, of_secret.used_at, of_secret.ended_at)::text, 'UTF8'))
$$;

CREATE FUNCTION roundledger.record_secret(its_number bigint, by_whom text, said text) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS $$
    INSERT INTO roundledger.secret_changes (changed_by, staff_id, number, kind, change, became)
    SELECT by_whom, s.staff_id, s.number, s.kind, said, roundledger.secret_digest(s)
    FROM roundledger.secrets s WHERE s.number = its_number
$$;

-- Like trail_differences: a secret is right if it is what its last change made of it.
CREATE FUNCTION roundledger.secret_differences() RETURNS TABLE (source text, subject text, what text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    WITH changed AS (
        SELECT DISTINCT ON (number) number, staff_id, kind, became FROM roundledger.secret_changes
        WHERE became IS NOT NULL ORDER BY number, change_id DESC
    )
    SELECT 'secrets',
        coalesce(c.staff_id, s.staff_id) || ' ' || coalesce(c.kind, s.kind) || ' ' || coalesce(c.number, s.number),
        CASE WHEN s.number IS NULL THEN 'deleted' WHEN c.number IS NULL THEN 'inserted' ELSE 'changed' END
    FROM roundledger.secrets s FULL JOIN changed c USING (number)
    WHERE roundledger.secret_digest(s) IS DISTINCT FROM c.became
$$;

-- ---- passwords

-- Whichever function sets a password, its hash is remembered from when it was set. A hash that is there already is the
-- same password, hashed anew.
CREATE FUNCTION roundledger.remember_password() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_number bigint;
BEGIN
    IF EXISTS (SELECT FROM roundledger.secrets WHERE staff_id = NEW.staff_id AND kind = 'password'
            AND ended_at IS NULL AND secret = convert_to(NEW.password, 'UTF8')) THEN
        RETURN NULL;
    END IF;
    FOR its_number IN
        UPDATE roundledger.secrets SET ended_at = now()
        WHERE staff_id = NEW.staff_id AND kind = 'password' AND ended_at IS NULL RETURNING number
    LOOP
        PERFORM roundledger.record_secret(its_number, NEW.staff_id, 'replaced');
    END LOOP;
    INSERT INTO roundledger.secrets (staff_id, kind, secret)
    VALUES (NEW.staff_id, 'password', convert_to(NEW.password, 'UTF8')) RETURNING number INTO its_number;
    PERFORM roundledger.record_secret(its_number, NEW.staff_id, 'set');
    RETURN NULL;
END
$$;
CREATE TRIGGER people_remember_passwords AFTER INSERT OR UPDATE OF password ON roundledger.people
    FOR EACH ROW EXECUTE FUNCTION roundledger.remember_password();
ALTER TABLE roundledger.people ENABLE ALWAYS TRIGGER people_remember_passwords;

INSERT INTO roundledger.secrets (staff_id, kind, secret, added_at)
SELECT p.staff_id, 'password', convert_to(p.password, 'UTF8'), coalesce(max(c.changed_at), now())
FROM roundledger.people p LEFT JOIN roundledger.people_changes c
    ON c.staff_id = p.staff_id AND (c.change = 'password' OR starts_with(c.change, 'added: '))
GROUP BY p.staff_id, p.password ORDER BY p.staff_id;
SELECT roundledger.record_secret(number, 'migration', 'as it was') FROM roundledger.secrets ORDER BY number;

-- The same password under a better hash. Only for somebody who has just given it.
CREATE FUNCTION roundledger.renew_password_hash(staff text, present text, renewed text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_number bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('roundledger.people'));
    IF NOT EXISTS (SELECT FROM roundledger.people WHERE staff_id = staff AND password = present)
        OR NOT EXISTS (SELECT FROM roundledger.sign_ins
            WHERE staff_id = staff AND accepted AND tried_at > now() - interval '1 minute') THEN
        RETURN;
    END IF;
    FOR its_number IN
        UPDATE roundledger.secrets SET secret = convert_to(renewed, 'UTF8')
        WHERE staff_id = staff AND kind = 'password' AND ended_at IS NULL RETURNING number
    LOOP
        PERFORM roundledger.record_secret(its_number, staff, 'hashed anew');
    END LOOP;
    UPDATE roundledger.people SET password = renewed WHERE staff_id = staff;
    INSERT INTO roundledger.people_changes (changed_by, staff_id, change, became)
    SELECT staff, staff, 'password hashed anew', roundledger.person_digest(p)
    FROM roundledger.people p WHERE p.staff_id = staff;
END
$$;

-- How the hashes of somebody's last passwords begin, the present one first.
CREATE FUNCTION roundledger.password_salts(staff text, how_many integer) RETURNS text[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT array_agg(regexp_replace(convert_from(secret, 'UTF8'), '[^$]*$', '')) FROM (
        SELECT secret FROM roundledger.secrets WHERE staff_id = staff AND kind = 'password'
        ORDER BY number DESC LIMIT how_many) AS last
$$;

-- Whether one of these is the hash of a password that somebody has or had. Each comparison is recorded, and there are
-- few of them, because the answer tells whether a guess is right.
CREATE FUNCTION roundledger.had_password(staff text, hashes text[]) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('roundledger.people'));
    IF (SELECT count(*) FROM roundledger.secret_changes WHERE staff_id = staff AND change = 'compared with earlier ones'
            AND changed_at > now() - interval '15 minutes') >= 10 THEN
        RAISE check_violation USING MESSAGE = 'That was tried too often. Wait 15 minutes, then choose another password.';
    END IF;
    INSERT INTO roundledger.secret_changes (changed_by, staff_id, kind, change)
    VALUES (staff, staff, 'password', 'compared with earlier ones');
    RETURN EXISTS (SELECT FROM roundledger.secrets
        WHERE staff_id = staff AND kind = 'password' AND convert_from(secret, 'UTF8') = ANY(hashes));
END
$$;
