"""The incomplete gamma function against values from printed tables and closed forms."""

from __future__ import annotations

from math import erfc, exp, sqrt

import pytest

from projections.reports.chi_square import p_value, upper_gamma


@pytest.mark.parametrize(
    ("statistic", "degrees", "p"),
    [
        (3.841459, 1, 0.05),
        (6.634897, 1, 0.01),
        (5.991465, 2, 0.05),
        (7.814728, 3, 0.05),
        (18.307038, 10, 0.05),
        (23.209251, 10, 0.01),
        (31.410433, 20, 0.05),
        (67.504807, 50, 0.05),
        (76.153891, 50, 0.01),
        (86.660815, 50, 0.001),
        (124.342113, 100, 0.05),
    ],
)
def test_the_critical_values_of_printed_tables(statistic, degrees, p):
    assert p_value(statistic, degrees) == pytest.approx(p, rel=1e-5)


@pytest.mark.parametrize("x", [0.1, 1.0, 7.5, 40.0])
def test_the_closed_forms(x):
    assert upper_gamma(2, x) == pytest.approx(exp(-x), rel=1e-14)
    assert upper_gamma(4, x) == pytest.approx(exp(-x) * (1 + x), rel=1e-13)
    assert upper_gamma(6, x) == pytest.approx(exp(-x) * (1 + x + x * x / 2), rel=1e-13)
    assert upper_gamma(1, x) == pytest.approx(erfc(sqrt(x)), rel=1e-14)


def test_between_one_and_nothing_and_falling():
    values = [p_value(statistic, 51) for statistic in range(0, 400, 5)]
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)
    assert 0 < values[-1] < 1e-40
    assert p_value(-1.0, 51) == 1.0
    assert 0.47 < p_value(51.0, 51) < 0.5  # the mean is a little above the median


def test_only_for_whole_degrees_above_nothing():
    with pytest.raises(ValueError, match="above 0"):
        upper_gamma(0, 1.0)
