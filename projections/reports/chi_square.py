"""The chi-square distribution: how likely a statistic is to be as large as this or larger, if nothing is wrong.

Degrees of freedom are whole, so the incomplete gamma function is a finite sum,
Q(a + 1, x) = Q(a, x) + x^a e^-x / Γ(a + 1), that begins with Q(1/2, x) = erfc(√x) or Q(1, x) = e^-x.
"""

from __future__ import annotations

from math import erfc, exp, fsum, lgamma, log, sqrt


def upper_gamma(twice_a: int, x: float) -> float:
    """Q(a, x), the regularized upper incomplete gamma function, where 2a is a whole number above 0."""
    if twice_a < 1:
        raise ValueError("The incomplete gamma function is asked for with a above 0.")
    if x <= 0:
        return 1.0
    odd = twice_a % 2
    first = erfc(sqrt(x)) if odd else exp(-x)
    steps = (a / 2 for a in range(1 if odd else 2, twice_a, 2))
    return min(1.0, fsum([first, *(exp(a * log(x) - x - lgamma(a + 1)) for a in steps)]))


def p_value(statistic: float, degrees: int) -> float:
    return upper_gamma(degrees, statistic / 2)
