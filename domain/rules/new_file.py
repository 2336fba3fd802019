"""The text of a new rule-set file, based on an existing one."""

from __future__ import annotations

import datetime
import re

from domain.errors import BadDocument
from domain.rules.ruleset import RuleSet

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_KEYS = ("id", "version", "since")


def new_text(rules: RuleSet, id: str, since: datetime.date) -> str:
    """Return the file of a rule set under another id, as a first version in force from a day on."""
    if not _ID.fullmatch(id):
        raise BadDocument(f"{id!r} is not a rule-set id: use lower-case letters, digits and hyphens, at most 40.")
    values = {"id": f'"{id}"', "version": "1", "since": since.isoformat()}
    text = rules.text
    for key in _KEYS:
        text, replaced = re.subn(rf"^{key} = .*$", f"{key} = {values[key]}", text, count=1, flags=re.MULTILINE)
        assert replaced, f"{rules.id} has no {key}"
    return text
