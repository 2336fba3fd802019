"""The rule set that rounds were played by, kept word for word: an auditor replays under the rules of that day."""

from __future__ import annotations

from domain.event import Event


class RuleSetAdopted(Event, frozen=True):
    ruleset: str
    content_hash: str
    text: str


RULEBOOK_TOPICS = {"rules.adopted.v1": RuleSetAdopted}
