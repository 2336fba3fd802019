-- Who patrons of the cash log are, by name or by description, apart from the record, which has ids: both can be erased.

CREATE TABLE roundledger.patron_names (
    bettor text PRIMARY KEY,
    name text NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now()
);
