-- The trail is part of the record: every table of it gets a number by which a digest says which rows it covers, and what
-- can change (people, sessions) gets a table of its changes that only grows.

ALTER TABLE roundledger.revoked_tokens ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
ALTER TABLE roundledger.audits ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
ALTER TABLE roundledger.audit_findings ADD COLUMN finding_id bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
ALTER TABLE roundledger.audit_notes ADD COLUMN note_id bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
ALTER TABLE projections.gaming_days ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE;

-- Audits on the command line are recorded too; one at a time holds for those of the service.
ALTER TABLE roundledger.audits
    ADD COLUMN place text NOT NULL DEFAULT 'service' CHECK (place IN ('service', 'command'));
DROP INDEX roundledger.audits_running;
CREATE UNIQUE INDEX audits_running ON roundledger.audits ((true)) WHERE state = 'running' AND place = 'service';

-- What a person's row became by a change; null where a change is not of that row.
ALTER TABLE roundledger.people_changes ADD COLUMN became bytea;

CREATE FUNCTION roundledger.person_digest(person roundledger.people) RETURNS bytea LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT sha256(convert_to(
        ROW(person.staff_id, person.name, person.parts, person.password, person.disabled)::text, 'UTF8'))
$$;

INSERT INTO roundledger.people_changes (changed_by, staff_id, change, became)
SELECT 'migration', p.staff_id, 'as it was', roundledger.person_digest(p) FROM roundledger.people p ORDER BY p.staff_id;

-- A session's beginning, every part that was taken in it, and its end.
CREATE TABLE roundledger.session_changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    changed_at timestamptz NOT NULL DEFAULT now(),
    cookie_hash bytea NOT NULL,
    staff_id text NOT NULL,
    part text NOT NULL,
    ended boolean NOT NULL DEFAULT false
);
CREATE INDEX session_changes_of ON roundledger.session_changes (cookie_hash, change_id);
INSERT INTO roundledger.session_changes (changed_at, cookie_hash, staff_id, part)
SELECT began_at, cookie_hash, staff_id, part FROM roundledger.sessions ORDER BY began_at;
INSERT INTO roundledger.session_changes (changed_at, cookie_hash, staff_id, part, ended)
SELECT ended_at, cookie_hash, staff_id, part, true FROM roundledger.sessions
WHERE ended_at IS NOT NULL ORDER BY ended_at;

CREATE TRIGGER session_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.session_changes
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.session_changes ENABLE ALWAYS TRIGGER session_changes_stay;

-- Rows that change are right if they are what their last change made of them. For the audit, which may not see a password.
CREATE FUNCTION roundledger.trail_differences() RETURNS TABLE (source text, subject text, what text)
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
            SELECT DISTINCT ON (cookie_hash) cookie_hash, staff_id, part, ended, changed_at
            FROM roundledger.session_changes ORDER BY cookie_hash, change_id DESC
        )
        SELECT 'sessions', coalesce(s.staff_id, l.staff_id) || ' since '
                || to_char(coalesce(s.began_at, f.changed_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
            CASE WHEN s.cookie_hash IS NULL THEN 'deleted' WHEN l.cookie_hash IS NULL THEN 'inserted' ELSE 'changed' END
        FROM roundledger.sessions s
        FULL JOIN (last l JOIN first f USING (cookie_hash)) ON l.cookie_hash = s.cookie_hash
        WHERE ROW(s.staff_id, s.part, s.began_at, s.ended_at) IS DISTINCT FROM
            ROW(l.staff_id, l.part, f.changed_at, CASE WHEN l.ended THEN l.changed_at END)
    ) AS sessions
$$;
