"""Benchmarks, each compared with a reference measured in the same run.

The protocol:

- A benchmark is a module `bench_<subject>.py` in this folder with one function, `run() -> list[Row]`.
- `run` measures our code and, where there is one, the reference (another library, or a plainer way to do the
  same work) on the same machine within the same call. Figures of another day or machine are not references.
- Each thing measured is one `Row`. The ratio is always "how many times as good as the reference": for a rate,
  measured / reference; for a duration or a size (`better="lower"`), reference / measured.
- A row with a `required_ratio` is a promise: it is kept if the ratio is at least that. A row without one
  informs only.
- A benchmark that cannot run raises. A missing promise must not look like a kept one.

`make bench` runs them all and prints the table; `make bench ARGS="replay store"` runs `bench_replay` and
`bench_store`. The exit code is 1 if a promise is broken or a benchmark raised, and 2 if a name is unknown.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    measured: float
    unit: str  # of both figures: "rounds/s", "ms", "bytes/event"
    reference: float | None = None
    reference_name: str = ""  # what the reference is, with its version: "pokerkit 0.7.7"
    required_ratio: float | None = None
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        if self.measured <= 0 or (self.reference is not None and self.reference <= 0):
            raise ValueError(f"{self.name}: a figure must be above zero, or the ratio means nothing")
        if self.required_ratio is not None and self.reference is None:
            raise ValueError(f"{self.name}: a required ratio needs a reference")

    @property
    def ratio(self) -> float | None:
        if self.reference is None:
            return None
        if self.better == "higher":
            return self.measured / self.reference
        return self.reference / self.measured

    @property
    def ok(self) -> bool | None:
        """Whether the promise is kept; None where nothing was promised."""
        if self.required_ratio is None or self.ratio is None:
            return None
        return self.ratio >= self.required_ratio
