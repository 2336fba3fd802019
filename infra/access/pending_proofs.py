"""Authentication that takes more than one request: the expected answer, stored under a cookie of the browser."""

from __future__ import annotations

import json
import secrets
from typing import Any, Literal

from infra.access.passwords import cookie_hash
from infra.access.staff import call
from infra.store.database import Database

Kind = Literal["provider", "totp", "passkey", "signature", "second passkey"]


class ProofEnded(Exception):
    """The proof expired, was used before, or was not started in this browser."""

    def __init__(self) -> None:
        super().__init__("That took too long, or was started in another window. Start again.")


class Proofs:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, kind: Kind, staff_id: str | None, state: dict[str, Any]) -> str:
        """Start a proof; return the cookie that the browser keeps for ten minutes."""
        kept = secrets.token_urlsafe(32)
        values = [cookie_hash(kept), kind, staff_id, json.dumps(state)]
        call(self._database, "SELECT roundledger.begin_proof(%s, %s, %s, %s)", values)
        return kept

    def end(self, kind: Kind, kept: str | None) -> tuple[str | None, dict[str, Any]]:
        """End a proof; return whose it is and the expected answer. Works once."""
        values = [b"" if kept is None else cookie_hash(kept), kind]
        rows = self._database.write("SELECT staff, its_state FROM roundledger.end_proof(%s, %s)", values)
        if not rows:
            raise ProofEnded
        staff_id, state = rows[0]
        return staff_id, json.loads(state)
