"""The optional packages of archives: pyarrow, and Dask for audits on several machines."""

from __future__ import annotations

from typing import Any


class ExtraMissing(Exception):
    """A package of the extra `archive` is not installed."""


def pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ExtraMissing("archives need pyarrow: pip install 'roundledger[archive]'") from None
    return pyarrow


def dask_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ExtraMissing("a scheduler needs Dask: pip install 'roundledger[archive]'") from None
    return distributed
