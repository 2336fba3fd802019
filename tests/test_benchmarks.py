"""The benchmark runner keeps its own protocol: a broken promise never exits with 0."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.benchmarks import Row, __main__


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put one benchmark, named "sample", where the runner looks."""

    def add(*rows: Row, error: Exception | None = None) -> None:
        def run() -> list[Row]:
            if error is not None:
                raise error
            return list(rows)

        module = ModuleType("tests.benchmarks.bench_sample")
        module.run = run  # type: ignore[attr-defined]
        (tmp_path / "bench_sample.py").touch()
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(__main__, "FOLDER", tmp_path)

    return add


def test_a_kept_promise_exits_with_0(bench, capsys):
    bench(Row(name="fold", measured=3000.0, unit="rounds/s", reference=1000.0, required_ratio=2.5))
    assert __main__.main([]) == 0
    out = capsys.readouterr().out
    assert "3,000 rounds/s" in out
    assert "3.00" in out
    assert "yes" in out


def test_a_broken_promise_exits_with_1(bench, capsys):
    bench(Row(name="fold", measured=2000.0, unit="rounds/s", reference=1000.0, required_ratio=2.5))
    assert __main__.main(["sample"]) == 1
    assert "Below the required ratio: fold" in capsys.readouterr().out


def test_a_benchmark_that_raises_exits_with_1(bench, capsys):
    bench(error=RuntimeError("no server"))
    assert __main__.main([]) == 1
    assert "Could not be measured: sample" in capsys.readouterr().out


def test_an_unknown_name_exits_with_2(bench):
    bench()
    assert __main__.main(["other"]) == 2


def test_a_shorter_time_is_a_higher_ratio():
    row = Row(name="start", measured=50.0, unit="ms", reference=100.0, required_ratio=2.0, better="lower")
    assert row.ratio == 2.0
    assert row.ok


def test_a_row_without_a_requirement_is_neither_kept_nor_broken():
    assert Row(name="fold", measured=1.0, unit="s").ok is None


def test_a_requirement_needs_a_reference():
    with pytest.raises(ValueError, match="needs a reference"):
        Row(name="fold", measured=1.0, unit="s", required_ratio=1.0)


def test_a_figure_of_zero_is_refused():
    with pytest.raises(ValueError, match="above zero"):
        Row(name="fold", measured=0.0, unit="s")
