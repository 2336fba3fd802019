"""The chi-square distribution: the probability of a statistic this large or larger, if nothing is wrong.

Degrees of freedom are whole, so the incomplete gamma function is a finite sum,
Q(a + 1, x) = Q(a, x) + x^a e^-x / Γ(a + 1), that begins with Q(1/2, x) = erfc(√x) or Q(1, x) = e^-x."""

from __future__ import annotations

from math import erfc, exp, fsum, lgamma, log, sqrt


def upper_gamma(twice_a: int, x: float) -> float:
    """Return Q(a, x), the regularized upper incomplete gamma function, where 2a is a positive integer."""
    if twice_a < 1:
        raise ValueError("The incomplete gamma function needs a above 0.")
    if x <= 0:
        return 1.0
    odd = twice_a % 2
    first = erfc(sqrt(x)) if odd else exp(-x)
    steps = (a / 2 for a in range(1 if odd else 2, twice_a, 2))
    return min(1.0, fsum([first, *(exp(a * log(x) - x - lgamma(a + 1)) for a in steps)]))


def p_value(statistic: float, degrees: int) -> float:
    return upper_gamma(degrees, statistic / 2)
