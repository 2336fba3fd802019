-- Who may do what. Run after the numbered files, and again whenever this file has changed or a role is missing: roles belong
-- to the server, not to the database, and an administrator may have to create them first. Repeating it changes nothing.
--
-- roundledger_service  the write path: adds and reads, changes nothing
-- roundledger_reader   projections and queries: reads events, never a sealed card
--
-- Rights on events are given by column: position and recorded_at are the database's to fill in.

DO $$
DECLARE
    name text;
    missing text[] := '{}';
BEGIN
    -- Whoever does not own the schema cannot give rights on it; its owner's migration has done so.
    IF NOT pg_has_role(current_user, (SELECT nspowner FROM pg_namespace WHERE nspname = 'roundledger'), 'USAGE') THEN
        RETURN;
    END IF;

    FOREACH name IN ARRAY ARRAY['roundledger_service', 'roundledger_reader'] LOOP
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

    FOREACH name IN ARRAY ARRAY['roundledger_service', 'roundledger_reader'] LOOP
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

    REVOKE ALL ON roundledger.migrations, roundledger.topics, roundledger.originators, roundledger.events,
        roundledger.event_log, roundledger.sealed_cards, roundledger.receipts, roundledger.tracking,
        roundledger.revoked_tokens, roundledger.reads, roundledger.people, roundledger.people_changes,
        roundledger.sessions, roundledger.sign_ins, roundledger.log_identity, roundledger.log_hashes,
        roundledger.log_checkpoints, roundledger.log_keys,
        roundledger.audits, roundledger.audit_findings, roundledger.audit_notes
        FROM PUBLIC, roundledger_service, roundledger_reader;
    REVOKE ALL ON FUNCTION roundledger.append FROM PUBLIC;
    GRANT USAGE ON SCHEMA roundledger TO roundledger_service, roundledger_reader;
    GRANT SELECT ON roundledger.migrations, roundledger.topics, roundledger.originators, roundledger.events,
        roundledger.event_log TO roundledger_service, roundledger_reader;
    GRANT SELECT ON roundledger.log_identity, roundledger.log_hashes, roundledger.log_checkpoints, roundledger.log_keys
        TO roundledger_service, roundledger_reader;
    GRANT SELECT, INSERT, UPDATE ON roundledger.tracking TO roundledger_service, roundledger_reader;

    GRANT INSERT (topic) ON roundledger.topics TO roundledger_service;
    GRANT INSERT (originator_id) ON roundledger.originators TO roundledger_service;
    GRANT INSERT (originator, originator_version, topic_id, state) ON roundledger.events TO roundledger_service;
    GRANT SELECT, INSERT ON roundledger.sealed_cards TO roundledger_service;
    GRANT SELECT, INSERT (key, fingerprint, outcome) ON roundledger.receipts TO roundledger_service;
    GRANT EXECUTE ON FUNCTION roundledger.append TO roundledger_service;
    GRANT SELECT, INSERT (token_id, revoked_by, reason) ON roundledger.revoked_tokens TO roundledger_service;
    GRANT SELECT, INSERT (by, role, what, subject, request_id) ON roundledger.reads TO roundledger_service;
    GRANT SELECT, INSERT, UPDATE (name, parts, password, disabled) ON roundledger.people TO roundledger_service;
    GRANT SELECT, INSERT (changed_by, staff_id, change) ON roundledger.people_changes TO roundledger_service;
    GRANT SELECT, INSERT (cookie_hash, staff_id, part), UPDATE (part, seen_at, ended_at)
        ON roundledger.sessions TO roundledger_service;
    GRANT SELECT, INSERT (staff_id, address, accepted) ON roundledger.sign_ins TO roundledger_service;
    GRANT INSERT ON roundledger.log_hashes TO roundledger_service;
    GRANT INSERT (size, last_position, note) ON roundledger.log_checkpoints TO roundledger_service;
    GRANT INSERT (key, reason) ON roundledger.log_keys TO roundledger_service;
    GRANT SELECT, INSERT (audit_id, started_by, asked),
        UPDATE (state, heard_at, ended_at, done, total, rounds, findings, notes, summary, error)
        ON roundledger.audits TO roundledger_service;
    GRANT SELECT, INSERT ON roundledger.audit_findings, roundledger.audit_notes TO roundledger_service;
END
$$;
