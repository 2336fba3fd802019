"""A data folder that PostgreSQL 16 wrote: the wheel has its programs besides those of the newest version."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from psycopg.conninfo import make_conninfo

from infra.embedded import server_user
from infra.embedded.binaries import find_in_wheel, readable_by_anyone
from infra.embedded.data_folder import OPTIONS
from infra.schema.migrator import migrate
from projections.engine.runner import Runner
from tests.sealed_ledger import record_rounds, seal

NEWER = ("io_method", "--no-clean", "--no-instructions")


def fill_with_16(home: Path, *, killed: bool = False) -> list[str]:
    """A ledger with sealed rounds; its server is stopped at the end, or killed. Returns the ids of its rounds."""
    home.mkdir(mode=0o711, parents=True)
    pgdata = home / "pgdata"
    pgdata.mkdir(mode=0o700)
    root = os.geteuid() == 0
    install = readable_by_anyone(find_in_wheel(16)) if root else find_in_wheel(16)
    uid = server_user.initdb_uid(1) if root else None
    if uid is not None:
        os.chown(pgdata, uid, uid)

    def run(program: str, *options: str) -> None:
        command = [str(install / "bin" / program), "-D", str(pgdata), *options]
        subprocess.run(command, cwd=pgdata, user=uid, check=True, stdout=subprocess.DEVNULL)

    run("initdb", *(option for option in OPTIONS if not any(name in option for name in NEWER)))
    run("pg_ctl", "start", "-w", "-l", str(pgdata / "log"), "-o", f"-k {pgdata} -h ''")
    try:
        url = make_conninfo("", host=str(pgdata), user="postgres", dbname="postgres")
        migrate(url)
        rounds = record_rounds(url, "uth-casino-club", 3)
        seal(url, home / "keys")
        with Runner(url) as runner:
            runner.catch_up()
    finally:
        run("pg_ctl", "stop", "-w", "-m", "immediate" if killed else "fast")
    return rounds
