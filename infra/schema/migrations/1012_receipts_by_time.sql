-- Receipts come in the order of time, so a few pages of this index lead to the oldest; it costs an append next to nothing.
-- Built beside those who write. If it is broken off, what is left of it is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS roundledger.receipts_by_time;
CREATE INDEX CONCURRENTLY receipts_by_time ON roundledger.receipts USING brin (recorded_at) WITH (pages_per_range = 16);
