"""Run the benchmarks and print their table. The protocol is in the docstring of `tests.benchmarks`."""

import importlib
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks import Row

FOLDER = Path(__file__).parent
PREFIX = "bench_"


def available() -> list[str]:
    return sorted(path.stem.removeprefix(PREFIX) for path in FOLDER.glob(f"{PREFIX}*.py"))


def figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(rows: Iterable[Row]) -> Table:
    result = Table("name", title="Benchmarks")
    for heading in ("measured", "reference", "ratio", "required", "ok"):
        result.add_column(heading, justify="right")
    for row in rows:
        reference = "" if row.reference is None else f"{figure(row.reference)} {row.unit}"
        result.add_row(
            row.name,
            f"{figure(row.measured)} {row.unit}",
            f"{reference} ({row.reference_name})" if row.reference_name else reference,
            "" if row.ratio is None else f"{row.ratio:.2f}",
            "" if row.required_ratio is None else f"{row.required_ratio:.2f}",
            {True: "yes", False: "NO", None: ""}[row.ok],
        )
    return result


def main(names: Sequence[str]) -> int:
    if unknown := sorted(set(names) - set(available())):
        known = ", ".join(available()) or "none"
        print(f"Unknown benchmark: {', '.join(unknown)}. There are: {known}", file=sys.stderr)
        return 2
    rows: list[Row] = []
    failed: list[str] = []
    for name in names or available():
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        try:
            rows += importlib.import_module(f"tests.benchmarks.{PREFIX}{name}").run()
        except Exception:  # the others are still worth measuring
            traceback.print_exc()
            failed.append(name)
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)  # a log has no width of its own; do not fold the figures
    console.print(table(rows))
    broken = [row.name for row in rows if row.ok is False]
    if failed:
        print(f"Could not be measured: {', '.join(failed)}")
    if broken:
        print(f"Below the required ratio: {', '.join(broken)}")
    return 1 if failed or broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
