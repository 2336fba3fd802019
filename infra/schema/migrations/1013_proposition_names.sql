-- The names of proposition players, apart from the register, which has none: a name can be changed and erased.

CREATE TABLE roundledger.proposition_names (
    bettor text PRIMARY KEY,
    name text NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now()
);
