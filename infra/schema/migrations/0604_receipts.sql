-- The fingerprint of a request is a hash of its body, which may name a face-down card or a blind count, and few of either
-- are possible: whoever could list fingerprints would try them all. A receipt is given to whoever knows its key.

CREATE FUNCTION roundledger.receipt_of(of_key text)
    RETURNS TABLE (key text, fingerprint bytea, outcome bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.key, r.fingerprint, r.outcome FROM roundledger.receipts r WHERE r.key = of_key
$$;
