-- Who may do what. Run after the numbered files, and again whenever this file has changed or a role is missing: roles belong
-- to the server, not to the database, and an administrator may have to create them first. Repeating it changes nothing.
--
-- roundledger_service    the write path: adds and reads, changes nothing. The service logs in as this role, or as a login of
--                        the operator's own that is a member of it
-- roundledger_reader     queries: reads events, never a sealed card
-- roundledger_projector  keeps the reports' tables, which are all that it owns; the service acts as this role to do so
--
-- None of them owns a table of the ledger. Rights on events are given by column: position and recorded_at are the
-- database's to fill in.

DO $$
DECLARE
    ours CONSTANT text[] := ARRAY['roundledger_service', 'roundledger_reader', 'roundledger_projector'];
    name text;
    part text;
    missing text[] := '{}';
    by_set_role text := '';
    attempt integer;
BEGIN
    -- Whoever does not own the schema cannot give rights on it; its owner's migration has done so.
    IF NOT pg_has_role(current_user, (SELECT nspowner FROM pg_namespace WHERE nspname = 'roundledger'), 'USAGE') THEN
        RETURN;
    END IF;

    FOREACH name IN ARRAY ours LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;  -- another database of this server was quicker
                WHEN insufficient_privilege THEN missing := missing || name;
            END;
        END IF;
    END LOOP;
    IF cardinality(missing) > 0 THEN
        RAISE WARNING 'The roles % are missing and % may not create them. Triggers still refuse every change of '
            'recorded events, but rights are not separated. Let an administrator run CREATE ROLE ... NOLOGIN for each, '
            'GRANT them to %, and migrate again.', array_to_string(missing, ', '), current_user, current_user;
        RETURN;
    END IF;

    FOREACH name IN ARRAY ours LOOP
        BEGIN
            EXECUTE format('SET LOCAL ROLE %I', name);
            RESET ROLE;
        EXCEPTION WHEN insufficient_privilege THEN
            BEGIN
                EXECUTE format('GRANT %I TO CURRENT_USER', name);
            EXCEPTION WHEN insufficient_privilege THEN
                RAISE WARNING '% may not act as the role %. Let an administrator run: GRANT % TO %',
                    current_user, name, name, current_user;
            END;
        END;
    END LOOP;

    -- The service logs in, and acts as the other two by SET ROLE; before PostgreSQL 16 a member has their rights at all
    -- times. Where that is not ours to say, a login of the operator's own is a member of all three.
    IF current_setting('server_version_num')::integer >= 160000 THEN
        by_set_role := ' WITH INHERIT FALSE';
    END IF;
    FOR attempt IN 1..20 LOOP
        BEGIN
            IF NOT (SELECT rolcanlogin FROM pg_roles WHERE rolname = 'roundledger_service') THEN
                ALTER ROLE roundledger_service LOGIN;
            END IF;
            FOREACH name IN ARRAY ours[2:] LOOP
                IF NOT pg_has_role('roundledger_service', name, 'MEMBER') THEN
                    EXECUTE format('GRANT %I TO roundledger_service', name) || by_set_role;
                END IF;
            END LOOP;
            EXIT;
        EXCEPTION
            WHEN insufficient_privilege THEN EXIT;
            WHEN internal_error OR unique_violation THEN PERFORM pg_sleep(0.1);  -- another database of this server does the same
        END;
    END LOOP;

    REVOKE ALL ON roundledger.migrations, roundledger.topics, roundledger.originators, roundledger.events,
        roundledger.event_log, roundledger.sealed_cards, roundledger.receipts, roundledger.tracking,
        roundledger.revoked_tokens, roundledger.reads, roundledger.people, roundledger.people_changes,
        roundledger.sessions, roundledger.sign_ins, roundledger.tokens, roundledger.token_uses, roundledger.devices,
        roundledger.log_identity, roundledger.log_hashes,
        roundledger.log_checkpoints, roundledger.log_keys, roundledger.log_published,
        roundledger.audits, roundledger.audit_findings, roundledger.audit_notes, roundledger.session_changes,
        roundledger.seal_sessions, roundledger.property_names, roundledger.secrets, roundledger.secret_changes,
        roundledger.holds, roundledger.holds_in_force, roundledger.removals, roundledger.log_named,
        roundledger.proofs, roundledger.factor_demands, roundledger.proposition_names, roundledger.saved_searches,
        roundledger.patron_names
        FROM PUBLIC, roundledger_service, roundledger_reader, roundledger_projector;
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA roundledger
        FROM PUBLIC, roundledger_service, roundledger_reader, roundledger_projector;
    GRANT USAGE ON SCHEMA roundledger TO roundledger_service, roundledger_reader, roundledger_projector;
    GRANT SELECT ON roundledger.migrations, roundledger.topics, roundledger.originators, roundledger.events,
        roundledger.event_log TO roundledger_service, roundledger_reader, roundledger_projector;
    GRANT SELECT ON roundledger.log_identity, roundledger.log_hashes, roundledger.log_checkpoints, roundledger.log_keys,
        roundledger.log_published TO roundledger_service, roundledger_reader;
    GRANT SELECT, INSERT, UPDATE ON roundledger.tracking TO roundledger_service, roundledger_reader;

    GRANT INSERT (topic) ON roundledger.topics TO roundledger_service;
    GRANT INSERT (originator_id) ON roundledger.originators TO roundledger_service;
    GRANT INSERT (originator, originator_version, topic_id, state) ON roundledger.events TO roundledger_service;
    GRANT INSERT ON roundledger.sealed_cards TO roundledger_service;
    GRANT SELECT (number, announced_at, login, address, program, backend_pid)
        ON roundledger.seal_sessions TO roundledger_service;
    GRANT EXECUTE ON FUNCTION roundledger.announce_session, roundledger.open_seals, roundledger.open_seals_for_audit
        TO roundledger_service;
    GRANT INSERT (key, fingerprint, outcome) ON roundledger.receipts TO roundledger_service;
    GRANT EXECUTE ON FUNCTION roundledger.append, roundledger.insert_after_last, roundledger.receipt_of
        TO roundledger_service;
    GRANT SELECT, INSERT (name, address, set_by) ON roundledger.property_names TO roundledger_service;
    GRANT SELECT ON roundledger.property_names TO roundledger_reader;
    GRANT SELECT, INSERT (bettor, name, set_by), UPDATE (name, set_by, set_at), DELETE
        ON roundledger.proposition_names TO roundledger_service;
    GRANT SELECT, INSERT (staff_id, name, search, shared_with), UPDATE (search, shared_with, saved_at), DELETE
        ON roundledger.saved_searches TO roundledger_service;
    GRANT SELECT, INSERT (bettor, name, set_by), UPDATE (name, set_by, set_at), DELETE
        ON roundledger.patron_names TO roundledger_service;
    GRANT SELECT, INSERT (token_id, revoked_by, reason) ON roundledger.revoked_tokens TO roundledger_service;
    GRANT SELECT, INSERT (by, role, what, subject, request_id) ON roundledger.reads TO roundledger_service;
    GRANT SELECT (staff_id, name, parts, disabled) ON roundledger.people TO roundledger_service;
    GRANT SELECT, INSERT (changed_by, second, staff_id, change) ON roundledger.people_changes TO roundledger_service;
    GRANT SELECT, INSERT (token_id, holder, machine, part, way, made_by, second, ends_at)
        ON roundledger.tokens TO roundledger_service;
    GRANT SELECT ON roundledger.token_uses, roundledger.devices TO roundledger_service;
    GRANT SELECT ON roundledger.sessions, roundledger.session_changes, roundledger.sign_ins TO roundledger_service;
    GRANT EXECUTE ON FUNCTION roundledger.add_person, roundledger.change_person, roundledger.remember_device, roundledger.use_token,
        roundledger.password_salt, roundledger.prove, roundledger.sign_in, roundledger.use_session,
        roundledger.take_part, roundledger.sign_out, roundledger.trail_differences TO roundledger_service;
    GRANT SELECT (number, staff_id, kind, name, added_at, used_at, ended_at) ON roundledger.secrets
        TO roundledger_service;
    GRANT SELECT ON roundledger.secret_changes TO roundledger_service;
    GRANT EXECUTE ON FUNCTION roundledger.renew_password_hash, roundledger.password_salts, roundledger.had_password,
        roundledger.secret_differences, roundledger.begin_proof, roundledger.end_proof, roundledger.second_step,
        roundledger.has_factor, roundledger.add_factor, roundledger.end_factors, roundledger.open_factors,
        roundledger.passkey_owner, roundledger.use_factor, roundledger.sign_in_by_provider, roundledger.finish_sign_in
        TO roundledger_service;
    GRANT SELECT, INSERT (roles, set_by) ON roundledger.factor_demands TO roundledger_service;
    GRANT INSERT ON roundledger.log_hashes TO roundledger_service;
    GRANT INSERT (size, last_position, note) ON roundledger.log_checkpoints TO roundledger_service;
    GRANT INSERT (key, reason) ON roundledger.log_keys TO roundledger_service;
    GRANT SELECT, INSERT (audit_id, started_by, asked, place),
        UPDATE (state, heard_at, ended_at, done, total, rounds, findings, notes, summary, error)
        ON roundledger.audits TO roundledger_service;
    GRANT SELECT, INSERT (audit_id, number, finding) ON roundledger.audit_findings TO roundledger_service;
    GRANT SELECT, INSERT (audit_id, number, note) ON roundledger.audit_notes TO roundledger_service;

    GRANT SELECT, INSERT (kind, subject, held, since, reason, set_by) ON roundledger.holds TO roundledger_service;
    GRANT SELECT ON roundledger.holds_in_force, roundledger.removals TO roundledger_service;
    GRANT SELECT, INSERT (size, named_in) ON roundledger.log_named TO roundledger_service;
    GRANT EXECUTE ON FUNCTION roundledger.least_retention, roundledger.remove_receipts, roundledger.remove_covered
        TO roundledger_service;

    REVOKE ALL ON projections.positions, projections.gaming_days
        FROM PUBLIC, roundledger_service, roundledger_reader, roundledger_projector;
    GRANT USAGE ON SCHEMA projections TO roundledger_service, roundledger_reader;
    GRANT USAGE, CREATE ON SCHEMA projections, projections_rebuild TO roundledger_projector;
    GRANT SELECT ON projections.positions, projections.gaming_days
        TO roundledger_service, roundledger_reader, roundledger_projector;
    GRANT INSERT, UPDATE, DELETE ON projections.positions TO roundledger_projector;
    GRANT INSERT (from_day, time_zone, shifts, set_by) ON projections.gaming_days TO roundledger_projector;
    FOR part, name IN
        SELECT schemaname, tablename FROM pg_tables
        WHERE schemaname IN ('projections', 'projections_rebuild') AND tableowner <> 'roundledger_projector'
            AND (schemaname, tablename) NOT IN (('projections', 'positions'), ('projections', 'gaming_days'))
    LOOP
        EXECUTE format('ALTER TABLE %I.%I OWNER TO roundledger_projector', part, name);
        EXECUTE format('GRANT SELECT ON %I.%I TO roundledger_service, roundledger_reader', part, name);
    END LOOP;
END
$$;
