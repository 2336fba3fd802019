"""What projections of single steps of rounds have in common: the table, and who posted the step where and when."""

from __future__ import annotations

from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.table import SHIFT, Row, Table, table


def steps_table(name: str, columns: str) -> Table:
    """Declare a table of steps of rounds that somebody posted, with what `columns` add about each."""
    return table(
        name,
        f"round text NOT NULL, step integer NOT NULL, table_id text NOT NULL, {SHIFT}, at ms NOT NULL, dealer text,"
        f" posted_by text NOT NULL, {columns}",
        key="round, step",
        appended=True,
        indexes=("(gaming_day, table_id)", "(at, round, step)", "(dealer, at)"),
    )


def step_row(round_: RoundAccumulator) -> Row:
    where = round_.table, *round_.day_shift, round_.at_ms, round_.opened.dealer
    return round_.round, round_.version, *where, round_.by
