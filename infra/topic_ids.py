"""The number that stands for a topic in a row. Numbers are given once and never change, so they are cached for good."""

from __future__ import annotations

from infra import binary_arrays
from infra.database import Cursor, Database


class TopicIds:
    def __init__(self, database: Database) -> None:
        self._database = database
        self.names: dict[int, str] = {}
        self.elements: dict[str, bytes] = {}  # as an element of a binary array of smallint

    def name(self, number: int) -> str:
        """One that is gone from the table has a name that nobody knows: its events are unreadable, and told of so."""
        if number not in self.names:
            self.learn()
        return self.names.get(number) or f"topic {number}, whose name is gone"

    def learn(self) -> None:
        """Read the table again: another process may have added to it."""
        rows = self._database.read(
            lambda cursor: cursor.execute("SELECT topic_id, topic FROM roundledger.topics").fetchall()
        )
        for number, topic in rows:
            self.names[number] = topic
            self.elements[topic] = binary_arrays.int2_element(number)

    def add(self, topics: set[str]) -> None:
        """In a transaction before the one that needs them: a topic without events does no harm."""
        self.learn()
        if new := sorted(topics - self.elements.keys()):
            self._database.read(lambda cursor: self._insert(cursor, new))
            self.learn()

    @staticmethod
    def _insert(cursor: Cursor, topics: list[str]) -> None:
        cursor.execute(
            "INSERT INTO roundledger.topics (topic) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING",
            [topics],
        )
