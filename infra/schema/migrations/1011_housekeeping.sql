-- What may be removed once its retention has passed: receipts, and rows of the trail about looks, sign-ins, sessions and
-- audits; of old checkpoints the signed note. Only by the functions below, which check the retention and legal holds, and
-- record every removal in the same transaction. The events, and all that proves them, stay for ever.

-- In days, at least. An operator may keep longer, and not shorter.
CREATE FUNCTION roundledger.least_retention(source text) RETURNS integer LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE source
        WHEN 'roundledger.receipts' THEN 30
        WHEN 'roundledger.reads' THEN 365
        WHEN 'roundledger.sign_ins' THEN 90
        WHEN 'roundledger.session_changes' THEN 90
        WHEN 'roundledger.audits' THEN 365
        WHEN 'roundledger.audit_findings' THEN 365
        WHEN 'roundledger.audit_notes' THEN 365
        WHEN 'roundledger.log_checkpoints' THEN 31
    END
$$;

-- Legal holds: each row places or lifts one. What names the round or dispute stays; of what names neither (sign-ins,
-- sessions, audits) everything since its first event.
CREATE TABLE roundledger.holds (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,  -- round or dispute
    subject text NOT NULL,
    held boolean NOT NULL,
    since timestamptz NOT NULL,
    reason text NOT NULL CHECK (reason <> ''),
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER holds_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.holds
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.holds ENABLE ALWAYS TRIGGER holds_stay;

CREATE VIEW roundledger.holds_in_force WITH (security_invoker = true) AS
SELECT * FROM (SELECT DISTINCT ON (kind, subject) * FROM roundledger.holds ORDER BY kind, subject, number DESC) last
WHERE held;

-- What was removed. `source` is the table. Of the trail: which digest had covered the rows, and which of them are left, with
-- a digest and marks of their own. Of receipts: how many, and before which time.
CREATE TABLE roundledger.removals (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    removed_at timestamptz NOT NULL DEFAULT now(),
    removed_by text NOT NULL,
    source text NOT NULL,
    before timestamptz NOT NULL,
    rows integer NOT NULL,
    digest_version integer,
    left_numbers bigint[] NOT NULL DEFAULT '{}',
    left_digest bytea,
    left_marks bytea
);
CREATE INDEX removals_of ON roundledger.removals (source, digest_version, number);
CREATE TRIGGER removals_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.removals
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.removals ENABLE ALWAYS TRIGGER removals_stay;

-- Sizes of checkpoints that an evidence bundle or a witness has named: their notes stay.
CREATE TABLE roundledger.log_named (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    size bigint NOT NULL UNIQUE,
    named_in text NOT NULL,
    named_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER log_named_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.log_named
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.log_named ENABLE ALWAYS TRIGGER log_named_stays;

-- ---- guards: rows go only in the transaction that records their removal, and none before the least retention

CREATE FUNCTION roundledger.refuse_unrecorded() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
BEGIN
    IF TG_OP <> TG_ARGV[0]
        OR NOT EXISTS (SELECT FROM roundledger.removals r WHERE r.source = name AND r.removed_at = now())
    THEN
        RAISE EXCEPTION '% on % is refused: what is recorded stays as it is', TG_OP, name
            USING ERRCODE = 'modifying_sql_data_not_permitted',
                  HINT = 'Rows whose retention has passed are removed by roundledger housekeeping.';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION roundledger.refuse_early() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
BEGIN
    IF (to_jsonb(OLD) ->> TG_ARGV[0])::timestamptz > now() - make_interval(days => roundledger.least_retention(name)) THEN
        RAISE EXCEPTION '% on % is refused: what is recorded stays as it is', TG_OP, name
            USING ERRCODE = 'modifying_sql_data_not_permitted',
                  HINT = format('It is kept for at least %s days.', roundledger.least_retention(name));
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF NEW.note <> '' OR to_jsonb(NEW) - 'note' <> to_jsonb(OLD) - 'note' THEN
            RAISE EXCEPTION 'UPDATE on % is refused: of a checkpoint only the note is removed', name
                USING ERRCODE = 'modifying_sql_data_not_permitted';
        END IF;
        RETURN NEW;
    END IF;
    RETURN OLD;
END
$$;

DROP TRIGGER receipts_stay ON roundledger.receipts;
CREATE TRIGGER receipts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.receipts
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('DELETE');
ALTER TABLE roundledger.receipts ENABLE ALWAYS TRIGGER receipts_stay;
CREATE TRIGGER receipts_stay_long BEFORE DELETE ON roundledger.receipts
    FOR EACH ROW EXECUTE FUNCTION roundledger.refuse_early('recorded_at');
ALTER TABLE roundledger.receipts ENABLE ALWAYS TRIGGER receipts_stay_long;
DROP TRIGGER reads_stay ON roundledger.reads;
CREATE TRIGGER reads_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.reads
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('DELETE');
ALTER TABLE roundledger.reads ENABLE ALWAYS TRIGGER reads_stay;
CREATE TRIGGER reads_stay_long BEFORE DELETE ON roundledger.reads
    FOR EACH ROW EXECUTE FUNCTION roundledger.refuse_early('read_at');
ALTER TABLE roundledger.reads ENABLE ALWAYS TRIGGER reads_stay_long;
DROP TRIGGER sign_ins_stay ON roundledger.sign_ins;
CREATE TRIGGER sign_ins_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.sign_ins
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('DELETE');
ALTER TABLE roundledger.sign_ins ENABLE ALWAYS TRIGGER sign_ins_stay;
CREATE TRIGGER sign_ins_stay_long BEFORE DELETE ON roundledger.sign_ins
    FOR EACH ROW EXECUTE FUNCTION roundledger.refuse_early('tried_at');
ALTER TABLE roundledger.sign_ins ENABLE ALWAYS TRIGGER sign_ins_stay_long;
DROP TRIGGER session_changes_stay ON roundledger.session_changes;
CREATE TRIGGER session_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.session_changes
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('DELETE');
ALTER TABLE roundledger.session_changes ENABLE ALWAYS TRIGGER session_changes_stay;
CREATE TRIGGER session_changes_stay_long BEFORE DELETE ON roundledger.session_changes
    FOR EACH ROW EXECUTE FUNCTION roundledger.refuse_early('changed_at');
ALTER TABLE roundledger.session_changes ENABLE ALWAYS TRIGGER session_changes_stay_long;
DROP TRIGGER audit_findings_stay ON roundledger.audit_findings;
CREATE TRIGGER audit_findings_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.audit_findings
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('DELETE');
ALTER TABLE roundledger.audit_findings ENABLE ALWAYS TRIGGER audit_findings_stay;
DROP TRIGGER audit_notes_stay ON roundledger.audit_notes;
CREATE TRIGGER audit_notes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.audit_notes
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('DELETE');
ALTER TABLE roundledger.audit_notes ENABLE ALWAYS TRIGGER audit_notes_stay;
DROP TRIGGER audits_stay ON roundledger.audits;
CREATE TRIGGER audits_stay BEFORE DELETE OR TRUNCATE ON roundledger.audits
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('DELETE');
ALTER TABLE roundledger.audits ENABLE ALWAYS TRIGGER audits_stay;
CREATE TRIGGER audits_stay_long BEFORE DELETE ON roundledger.audits
    FOR EACH ROW EXECUTE FUNCTION roundledger.refuse_early('ended_at');
ALTER TABLE roundledger.audits ENABLE ALWAYS TRIGGER audits_stay_long;
DROP TRIGGER log_checkpoints_stay ON roundledger.log_checkpoints;
CREATE TRIGGER log_checkpoints_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON roundledger.log_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION roundledger.refuse_unrecorded('UPDATE');
ALTER TABLE roundledger.log_checkpoints ENABLE ALWAYS TRIGGER log_checkpoints_stay;
CREATE TRIGGER log_checkpoints_stay_long BEFORE UPDATE ON roundledger.log_checkpoints
    FOR EACH ROW EXECUTE FUNCTION roundledger.refuse_early('sealed_at');
ALTER TABLE roundledger.log_checkpoints ENABLE ALWAYS TRIGGER log_checkpoints_stay_long;

-- ---- removing

CREATE FUNCTION roundledger.check_retention(source text, days integer) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF roundledger.least_retention(source) IS NULL THEN
        RAISE check_violation USING MESSAGE = format('Nothing of %s is ever removed.', source);
    END IF;
    IF days IS NULL OR days < roundledger.least_retention(source) THEN
        RAISE check_violation USING MESSAGE =
            format('%s is kept for at least %s days.', source, roundledger.least_retention(source));
    END IF;
END
$$;

CREATE FUNCTION roundledger.remove_receipts(days integer, at_most integer, by_whom text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before timestamptz := now() - make_interval(days => days);
    old_keys text[];
BEGIN
    PERFORM roundledger.check_retention('roundledger.receipts', days);
    old_keys := ARRAY(SELECT r.key FROM roundledger.receipts r
        WHERE r.recorded_at < before AND NOT EXISTS (SELECT FROM roundledger.holds_in_force h
            WHERE position(convert_to(format('"%s"', h.subject), 'UTF8') IN r.outcome) > 0
                OR position(convert_to(format('/%s"', h.subject), 'UTF8') IN r.outcome) > 0) LIMIT at_most);
    IF cardinality(old_keys) > 0 THEN
        INSERT INTO roundledger.removals (removed_by, source, before, rows)
        VALUES (by_whom, 'roundledger.receipts', before, cardinality(old_keys));
        DELETE FROM roundledger.receipts WHERE key = ANY(old_keys);
    END IF;
    RETURN cardinality(old_keys);
END
$$;

-- Rows of the trail that one digest has covered. They must be what the digest says, or what an earlier removal has left of
-- it: rows that somebody has changed stay, for the audit to find. `upto`: a session goes as a whole or not at all, so one that
-- goes on beyond this number stays.
CREATE FUNCTION roundledger.remove_covered(
    source text, version integer, numbers bigint[], columns text[], digest bytea, days integer, by_whom text, upto bigint
) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET TimeZone = 'UTC' SET DateStyle = 'ISO, YMD' SET bytea_output = 'hex' SET extra_float_digits = 1
    AS $$
DECLARE
    limit_at timestamptz := now() - make_interval(days => days);
    held_since timestamptz := coalesce((SELECT min(h.since) FROM roundledger.holds_in_force h), 'infinity');
    number_column text;
    goes text;
    hash text;
    there bytea;
    earlier record;
    removed bigint[];
    left_over record;
BEGIN
    PERFORM roundledger.check_retention(source, days);
    number_column := CASE source WHEN 'roundledger.reads' THEN 'read_id' WHEN 'roundledger.sign_ins' THEN 'sign_in_id'
        WHEN 'roundledger.session_changes' THEN 'change_id' WHEN 'roundledger.audit_findings' THEN 'finding_id'
        WHEN 'roundledger.audit_notes' THEN 'note_id' ELSE 'number' END;
    goes := CASE source
        WHEN 'roundledger.reads' THEN
            't.read_at < $2 AND NOT EXISTS (SELECT FROM roundledger.holds_in_force h WHERE t.subject = h.subject)'
        WHEN 'roundledger.sign_ins' THEN 't.tried_at < least($2, $3)'
        WHEN 'roundledger.session_changes' THEN
            't.changed_at < least($2, $3) AND NOT EXISTS (SELECT FROM roundledger.session_changes c '
            'WHERE c.cookie_hash = t.cookie_hash AND (c.changed_at >= least($2, $3) OR c.change_id > $4)) '
            'AND NOT EXISTS (SELECT FROM roundledger.sessions s '
            'WHERE s.cookie_hash = t.cookie_hash AND s.seen_at >= least($2, $3))'
        WHEN 'roundledger.audits' THEN
            't.ended_at < least($2, $3) AND NOT EXISTS (SELECT FROM roundledger.audit_findings f '
            'WHERE f.audit_id = t.audit_id) AND NOT EXISTS (SELECT FROM roundledger.audit_notes n '
            'WHERE n.audit_id = t.audit_id)'
        WHEN 'roundledger.log_checkpoints' THEN
            't.sealed_at < $2 AND t.note <> '''' AND EXISTS (SELECT FROM roundledger.log_checkpoints c '
            'WHERE c.number > t.number AND c.sealed_at < date_trunc(''hour'', t.sealed_at) + interval ''1 hour'') '
            'AND NOT EXISTS (SELECT FROM roundledger.log_named n WHERE n.size = t.size) '
            'AND NOT EXISTS (SELECT FROM roundledger.log_checkpoints c WHERE c.size = t.size AND c.number <> t.number) '
            'AND t.number > (SELECT min(number) FROM roundledger.log_checkpoints)'
        ELSE
            'coalesce((SELECT a.ended_at < least($2, $3) FROM roundledger.audits a WHERE a.audit_id = t.audit_id), true)'
        END;
    SELECT format('sha256(convert_to(ROW(%s)::text, ''UTF8''))', string_agg(format('t.%I', name), ', ' ORDER BY place))
        INTO hash FROM unnest(number_column || columns) WITH ORDINALITY AS c (name, place);

    SELECT r.left_numbers, r.left_digest INTO earlier FROM roundledger.removals r
    WHERE r.source = remove_covered.source AND r.digest_version = version ORDER BY r.number DESC LIMIT 1;
    IF FOUND THEN
        numbers := earlier.left_numbers;
        digest := earlier.left_digest;
    END IF;
    EXECUTE format('SELECT sha256(coalesce(string_agg(%s, ''''::bytea ORDER BY t.%I), '''')) FROM %s t WHERE t.%2$I = ANY($1)',
        hash, number_column, source::regclass) INTO there USING numbers;
    IF there IS DISTINCT FROM digest THEN
        RAISE check_violation USING MESSAGE =
            format('Rows of %s are not as digest %s of the trail has them, and so they stay.', source, version);
    END IF;

    EXECUTE format('SELECT coalesce(array_agg(t.%1$I ORDER BY t.%1$I), ''{}'') FROM %2$s t WHERE t.%1$I = ANY($1) AND ',
        number_column, source::regclass) || goes INTO removed USING numbers, limit_at, held_since, upto;
    IF cardinality(removed) = 0 THEN
        RETURN 0;
    END IF;

    -- A row of this table lets the guards through; what is left is known before, except for notes, which are emptied.
    IF source = 'roundledger.log_checkpoints' THEN
        hash := replace(hash, 't.note', 'CASE WHEN t.number = ANY($2) THEN '''' ELSE t.note END');
    END IF;
    EXECUTE format('SELECT coalesce(array_agg(t.%2$I ORDER BY t.%2$I), ''{}'') AS numbers, '
        'sha256(coalesce(string_agg(%1$s, ''''::bytea ORDER BY t.%2$I), '''')) AS digest, '
        'coalesce(string_agg(substr(%1$s, 1, 4), ''''::bytea ORDER BY t.%2$I), '''') AS marks '
        'FROM %3$s t WHERE t.%2$I = ANY($1) AND ($3 OR t.%2$I <> ALL($2))', hash, number_column, source::regclass)
        INTO left_over USING numbers, removed, source = 'roundledger.log_checkpoints';
    INSERT INTO roundledger.removals
        (removed_by, source, before, rows, digest_version, left_numbers, left_digest, left_marks)
    VALUES (by_whom, source, limit_at, cardinality(removed), version, left_over.numbers, left_over.digest,
        left_over.marks);
    IF source = 'roundledger.log_checkpoints' THEN
        UPDATE roundledger.log_checkpoints SET note = '' WHERE number = ANY(removed);
    ELSE
        EXECUTE format('DELETE FROM %s WHERE %I = ANY($1)', source::regclass, number_column) USING removed;
    END IF;
    IF source = 'roundledger.session_changes' THEN
        DELETE FROM roundledger.sessions s WHERE s.began_at < limit_at AND NOT EXISTS (
            SELECT FROM roundledger.session_changes c WHERE c.cookie_hash = s.cookie_hash);
    END IF;
    RETURN cardinality(removed);
END
$$;
