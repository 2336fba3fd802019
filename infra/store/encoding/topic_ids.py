"""The number of each topic in the rows. Numbers never change, so they are cached for good."""

from __future__ import annotations

from collections.abc import Collection

from infra.store.database import Database
from infra.store.encoding import binary_arrays


class TopicIds:
    def __init__(self, database: Database) -> None:
        self._database = database
        self.names: dict[int, str] = {}
        self.elements: dict[str, bytes] = {}  # as an element of a binary array of smallint

    def name(self, number: int) -> str:
        """Return the topic's name. A number missing from the table gets an unknown name: its events are reported as
        unreadable."""
        if number not in self.names:
            self.learn()
        return self.names.get(number) or f"topic {number}, whose name is gone"

    def numbers(self, topics: Collection[str]) -> list[int]:
        """Return the numbers of those topics that are stored."""
        if topics:
            self.learn()
        return [number for number, topic in self.names.items() if topic in topics]

    def learn(self) -> None:
        """Reread the table: another process may have added topics."""
        for number, topic in self._database.rows("SELECT topic_id, topic FROM roundledger.topics"):
            self.names[number] = topic
            self.elements[topic] = binary_arrays.int2_element(number)

    def add(self, topics: set[str]) -> None:
        """Add topics, in a transaction before the one that needs them: a topic without events does no harm."""
        self.learn()
        if new := sorted(topics - self.elements.keys()):
            statement = "INSERT INTO roundledger.topics (topic) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING"
            self._database.read(lambda cursor: cursor.execute(statement, [new]))
            self.learn()
