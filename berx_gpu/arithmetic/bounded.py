"""Limits of a mean or a ratio that nothing seen can make too narrow: exact, without random numbers.

The Bayesian bootstrap weighs the units with independent gamma variables; one more unit at the far
end of the range, with an exponential weight, stands for what was not seen (Gaffke 2005; for values
of 0 and 1 the limits are those of Clopper and Pearson). The limit is the x at which the weighted
sum of num - x den crosses zero with the wanted probability. That the limits cover as promised at
any sample size is proven for values of 0 and 1, and a conjecture for others (Learned-Miller and
Thomas 2020).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import optimize, special

_STEP = 0.06
_NODES = 32
_MOST_NODES = 416
_BENDS = (0.0, 0.5, -0.5)
_FLAT = -30.0
_TINY = 1e-17


def limits(num: Any, den: Any, count: Any, far: float, level: float) -> tuple[float, float]:
    """Return the lower and the upper limit of sum(num) / sum(den), which lies in [0, 1].

    Parameters
    ----------
    num, den : float64 array
        Of the distinct units; 0 <= num <= den.
    count : float64 array
        How many units are like this.
    far : float
        The denominator of the unit that was not seen.
    level : float
        Of confidence.
    """
    tail = (1 - level) / 2
    estimate = float((num * count).sum() / (den * count).sum())

    def below(x: float, end: float) -> float:
        weights = np.append(num - x * den, far * (end - x))
        return probability_below_zero(weights, np.append(count, 1.0))

    residual = num - estimate * den
    total = float((den * count).sum())
    reach = 8 * math.sqrt(float((residual * residual * count).sum())) / total + 8 * far / total
    low = _crossing(lambda x: below(x, 0.0), 0.0, estimate, estimate - reach, tail)
    high = _crossing(lambda x: below(x, 1.0), estimate, 1.0, estimate + reach, 1 - tail)
    return low, high


def _crossing(probability: Any, low: float, high: float, guess: float, wanted: float) -> float:
    """Return where a rising probability crosses a value, or the end where it does not.

    The crossing is looked for between the guess and the end that is farther from it first.
    """

    def excess(x: float) -> float:
        p = min(max(probability(x), 1e-300), 1 - 1e-16)
        return float(special.logit(p) - special.logit(wanted))

    edge = 1e-15
    if high - low < edge:
        return low
    left, right = low + edge, high - edge
    if left < guess < right:
        if excess(guess) < 0:
            left = guess
        else:
            right = guess
    if excess(left) >= 0:
        return low
    if excess(right) <= 0:
        return high
    return float(optimize.brentq(excess, left, right, xtol=1e-13, rtol=1e-14))


def probability_below_zero(weights: Any, shapes: Any) -> float:
    """Return P(sum of weights x independent gammas of these shapes <= 0).

    The inverse Laplace integral of the moment generating function, through the point where the
    integrand is least on the real axis: along a vertical line, or along a hyperbola that bends from
    it to the side where the integrand falls off faster. In steps of sinh.
    """
    largest = float(np.abs(weights).max())
    some = np.abs(weights) > 1e-30 * largest  # others are as good as 0
    w, c = np.ldexp(weights[some], -math.frexp(largest)[1]), shapes[some]  # squares of any size
    if not (w > 0).any():
        return 1.0
    if not (w < 0).any():
        return 0.0
    upper = bool((w * c).sum() < 0)  # the tail that is the smaller one
    least = _least(w, c, upper)
    slope = w / (1 - least * w)
    scale = 1 / math.sqrt(float((c * slope * slope).sum()) + 1 / (least * least))
    log_least = -float((c * np.log1p(-least * w)).sum())

    def integrand(u: Any, bend: float) -> Any:
        """Return the logarithm of the integrand, in its two parts."""
        away = scale * (1j * np.sinh(u) + bend * (np.cosh(u) - 1))
        path = np.log(scale * (1j * np.cosh(u) + bend * np.sinh(u)) / (least + away))
        real, imaginary = -np.outer(away.real, slope), -np.outer(away.imag, slope)
        size = np.log1p(real * (2 + real) + imaginary * imaginary) / 2
        angle = np.arctan2(imaginary, 1 + real)
        return log_least - size @ c + path.real, path.imag - angle @ c

    bend = 0.0
    ends = integrand(np.array([0.0, 4.0]), bend)[0]
    if ends[1] - ends[0] > _FLAT:  # the vertical line falls off slowly
        looks = np.arange(0.5, _STEP * _MOST_NODES, 0.5)  # as far as the steps may go
        sizes = [np.logaddexp.reduce(integrand(looks, bend)[0]) for bend in _BENDS]
        bend = _BENDS[int(np.argmin(sizes))]
    total = 0.0
    for k in range(0, _MOST_NODES, _NODES):
        size, angle = integrand(_STEP * np.arange(k, k + _NODES), bend)
        terms = np.exp(size) * np.sin(angle)
        if k == 0:
            terms[0] /= 2
        total += _STEP * float(terms.sum())
        if np.exp(size[-1]) <= _TINY * abs(total) + 1e-300:
            break
    tail = abs(total) / math.pi
    return 1 - tail if upper else tail


def _least(w: Any, c: Any, upper: bool) -> float:
    """Return where the integrand, the generating function over |s|, is least on a side of 0."""
    low, high = (0.0, 1 / float(w.max())) if upper else (1 / float(w.min()), 0.0)
    s = (low + high) / 2
    for _ in range(200):
        slope = w / (1 - s * w)
        first = float((c * slope).sum()) - 1 / s
        second = float((c * slope * slope).sum()) + 1 / (s * s)
        low, high = (low, s) if first > 0 else (s, high)
        following = s - first / second
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - s) <= 1e-9 * abs(s):
            return following
        s = following
    return s


def perfect_needed(claim: float, level: float) -> int:
    """Return how many perfect units it takes until the lower limit is at least a claim."""
    return math.ceil(math.log((1 - level) / 2) / math.log(claim) - 1e-9)
