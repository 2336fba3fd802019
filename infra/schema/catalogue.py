"""The expected schema: tables, columns, indexes, triggers, functions and rights, object by object.

`migrations/catalogue.json` is what the migrations make of an empty database. The audit compares it with any server, so
that a disabled trigger, a granted right or a replaced function is reported by name.

    python -m infra.schema.catalogue    # rewrite the file after a migration was added

Nothing here depends on the owner's name, on catalogue ids or on the version of PostgreSQL."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import psycopg

from domain.audit.findings import Finding
from infra.schema.migrator import ROLES
from infra.store.database import Cursor, Database

FILE = "catalogue.json"
PLAIN_COLUMNS = 160_000  # the first server version that leaves out redundant qualifiers
QUALIFIER = re.compile(r"\b(?!roundledger\b|projections\b)[a-z_]+\.(?=[a-z_])")

# Tables of reports are created by programs and checked row by row; the two others of that schema come from migrations.
OURS = (
    "(n.nspname = 'roundledger' OR n.nspname = 'projections' AND c.relname IN ('positions', 'gaming_days', "
    "'gaming_days_number_seq'))"
)
# No report has objects of this kind: they could show different rows to different people.
ANYWHERE = "n.nspname IN ('roundledger', 'projections', 'projections_rebuild')"
OWNER = (
    "CASE WHEN {0} = (SELECT nspowner FROM pg_namespace WHERE nspname = 'roundledger') THEN 'owner' "
    "ELSE {0}::regrole::text END"
)
OBJECTS = rf"""
SELECT 'table ' || n.nspname || '.' || c.relname,
    concat_ws(' ', c.relkind, c.relpersistence, {OWNER.format("c.relowner")},
        CASE WHEN c.relrowsecurity THEN 'row security' END, c.reloptions::text)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'S', 'p', 'f') AND {OURS}

UNION ALL
SELECT 'column ' || n.nspname || '.' || c.relname || '.' || a.attname,
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'not null' END,
        nullif(a.attidentity, ''), nullif(a.attgenerated, ''), pg_get_expr(d.adbin, d.adrelid))
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'm', 'p', 'f') AND {OURS}

UNION ALL
SELECT 'constraint ' || n.nspname || '.' || c.relname || '.' || k.conname, pg_get_constraintdef(k.oid)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype IN ('c', 'f', 'p', 'u', 'x') AND {OURS}

UNION ALL
SELECT 'index ' || n.nspname || '.' || i.relname, pg_get_indexdef(x.indexrelid)
FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('roundledger', 'projections') AND {OURS}

UNION ALL
SELECT 'trigger ' || n.nspname || '.' || c.relname || '.' || t.tgname,
    CASE t.tgenabled WHEN 'A' THEN 'always ' WHEN 'O' THEN 'enabled ' WHEN 'R' THEN 'on replicas ' ELSE 'disabled ' END
        || pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND {ANYWHERE}

UNION ALL
SELECT 'trigger ' || n.nspname || '.' || c.relname || ' of a constraint', 'disabled'
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE t.tgisinternal AND t.tgenabled = 'D' AND {OURS}

UNION ALL
SELECT 'rule ' || n.nspname || '.' || c.relname || '.' || r.rulename,
    regexp_replace(pg_get_ruledef(r.oid), '\s+', ' ', 'g')
FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {ANYWHERE}

UNION ALL
SELECT 'policy ' || n.nspname || '.' || c.relname || '.' || p.polname, coalesce(pg_get_expr(p.polqual, p.polrelid), '')
FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {ANYWHERE}

UNION ALL
SELECT 'function roundledger.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    concat_ws(' ', l.lanname, {OWNER.format("p.proowner")}, pg_get_function_result(p.oid), p.provolatile,
        CASE WHEN p.prosecdef THEN 'security definer' END, p.proconfig::text,
        encode(sha256(convert_to(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), 'UTF8')), 'hex'))
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
WHERE n.nspname = 'roundledger'
"""
# The owner's rights on its own objects are implied.
RIGHTS = f"""
SELECT kind || ' ' || name || ' to ' || CASE grantee WHEN 0 THEN 'public' ELSE grantee::regrole::text END,
    string_agg(privilege_type || CASE WHEN is_grantable THEN ' with grant option' ELSE '' END, ', '
        ORDER BY privilege_type)
FROM (
    SELECT 'table' AS kind, n.nspname || '.' || c.relname AS name, c.relowner AS owner, a.*
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL aclexplode(c.relacl) a WHERE {OURS}
    UNION ALL
    SELECT 'column', n.nspname || '.' || c.relname || '.' || t.attname, c.relowner, a.*
    FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL aclexplode(t.attacl) a WHERE {OURS}
    UNION ALL
    SELECT 'function', 'roundledger.' || p.proname, p.proowner, a.*
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE n.nspname = 'roundledger'
    UNION ALL
    SELECT 'schema', n.nspname, n.nspowner, a.*
    FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a
    WHERE n.nspname IN ('roundledger', 'projections', 'projections_rebuild')
) AS given WHERE grantee <> owner GROUP BY kind, name, grantee
"""
POWERS = """
SELECT 'role ' || rolname, concat_ws(' ',
    CASE WHEN rolsuper THEN 'superuser' END, CASE WHEN rolcreaterole THEN 'creates roles' END,
    CASE WHEN rolcreatedb THEN 'creates databases' END, CASE WHEN rolreplication THEN 'replicates' END,
    CASE WHEN rolbypassrls THEN 'bypasses row security' END,
    (SELECT 'member of ' || string_agg(g.rolname, ', ' ORDER BY g.rolname) FROM pg_auth_members m
        JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid AND g.rolname <> ALL(%(ours)s)),
    (SELECT string_agg(setting, ', ' ORDER BY setting) FROM pg_db_role_setting s, unnest(s.setconfig) AS setting
        WHERE s.setrole = r.oid AND split_part(setting, '=', 1) = ANY(%(settings)s)))
FROM pg_roles r WHERE rolname = ANY(%(ours)s)
"""
# Settings of a role that decide whose tables it reads and which triggers run.
SETTINGS = ["search_path", "session_replication_role", "role", "row_security"]


def objects(cursor: Cursor) -> dict[str, str]:
    cursor.execute("SET search_path = pg_catalog")
    try:
        return dict(cursor.execute(OBJECTS.encode()).fetchall())
    finally:
        cursor.execute("RESET search_path")


def unqualified(rules: dict[str, str]) -> dict[str, str]:
    """Remove table names that PostgreSQL before version 16 puts before every column of a view."""
    return {name: QUALIFIER.sub("", said) if name.startswith("rule ") else said for name, said in rules.items()}


def rights(cursor: Cursor) -> dict[str, str]:
    """Return the rights; empty if the roles are missing, and so no rights are separated."""
    powers: dict[str, str] = dict(cursor.execute(POWERS, {"ours": list(ROLES), "settings": SETTINGS}).fetchall())
    if len(powers) < len(ROLES):
        return {}
    return dict(cursor.execute(RIGHTS.encode()).fetchall()) | powers


def expected() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(
        (files("infra.schema") / "migrations" / FILE).read_text(encoding="utf-8")
    )
    return found


class CatalogueAudit:
    def __init__(self) -> None:
        self.objects = 0
        self.with_rights = False

    def findings(self, database: Database) -> list[Finding]:
        return database.read(lambda cursor: list(self.differences(cursor)))

    def differences(self, cursor: Cursor) -> Iterator[Finding]:
        """Compare what the database of a cursor has with what the migrations make."""
        has, gives = objects(cursor), rights(cursor)
        self.objects, self.with_rights = len(has), bool(gives)
        should = expected()
        if cursor.connection.info.server_version < PLAIN_COLUMNS:
            yield from _differences(unqualified(has), unqualified(should["objects"]))
        else:
            yield from _differences(has, should["objects"])
        if gives:
            yield from _differences(gives, should["rights"], right=True)


def _differences(found: dict[str, str], should: dict[str, str], *, right: bool = False) -> Iterator[Finding]:
    for name in sorted(found.keys() | should.keys()):
        if found.get(name) == should.get(name):
            continue
        kind = "grant" if right else "trigger" if name.startswith("trigger ") else "schema"
        if name not in found:
            what = f"The {'right' if right else 'schema'} lacks: {name}."
        elif name not in should:
            what = f"No migration has made this: {name}."
        else:
            what = f"This is not as the migrations have made it: {name}."
        yield Finding(kind, what, expected=should.get(name), found=found.get(name), stream=name)


def _fresh() -> dict[str, dict[str, str]]:
    """Return the catalogue of an empty, migrated database."""
    from infra.embedded import embedded_postgres
    from infra.schema.migrator import migrate

    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder)) as url:
        migrate(url)
        with psycopg.connect(url, autocommit=True) as connection:
            cursor: Any = connection.cursor()
            return {"objects": objects(cursor), "rights": rights(cursor)}


def text(catalogue: dict[str, dict[str, str]]) -> str:
    return json.dumps(catalogue, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    target = Path(str(files("infra.schema") / "migrations" / FILE))
    target.write_text(text(_fresh()), encoding="utf-8")
    sys.stdout.write(f"{target}\n")
