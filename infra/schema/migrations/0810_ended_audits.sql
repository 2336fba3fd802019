-- What an audit came to is history once it has ended. Before, whoever held the service's connection could change it, and
-- only the next audit noticed.

CREATE TRIGGER audits_ended_stay BEFORE UPDATE ON roundledger.audits
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION roundledger.refuse_change();
ALTER TABLE roundledger.audits ENABLE ALWAYS TRIGGER audits_ended_stay;
