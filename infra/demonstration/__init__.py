"""The floor that `roundledger demo` shows: some days that have been played, and tables that go on while one looks.

What happened in those days is the same on every machine; only when it happened depends on the day of the first start.
"""

from infra.demonstration.cast import PASSWORD, PEOPLE, PRACTICE, TABLES
from infra.demonstration.live import LiveFloor
from infra.demonstration.past import Past, Plan
from infra.demonstration.staff import key_file, let_in

__all__ = ["PASSWORD", "PEOPLE", "PRACTICE", "TABLES", "LiveFloor", "Past", "Plan", "key_file", "let_in"]
