"""The floor of `roundledger demo`: some past days, and tables that stay in play.

The past is the same on every machine, except for its dates, which depend on the day of the first start."""

from infra.demo.live_tables import LiveFloor
from infra.demo.past_days import Past, Plan
from infra.demo.roster import PASSWORD, PEOPLE, PRACTICE, TABLES
from infra.demo.staff_accounts import key_file, let_in, name_the_property

__all__ = [
    "PASSWORD",
    "PEOPLE",
    "PRACTICE",
    "TABLES",
    "LiveFloor",
    "Past",
    "Plan",
    "key_file",
    "let_in",
    "name_the_property",
]
