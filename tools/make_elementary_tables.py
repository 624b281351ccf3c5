"""Write core/elementary/tables.cpp: the numbers that the core's own exp, log and lgamma are made of.

    python tools/make_elementary_tables.py > core/elementary/tables.cpp

Needs mpmath. Everything is computed with 60 digits and rounded once, so the file is the same wherever it is made.
"""

from __future__ import annotations

from collections.abc import Callable

from mpmath import bernoulli, chebyfit, exp, floor, log, loggamma, mp, mpf, pi

mp.dps = 60
STEPS = 128
FIRST_LOG_BIN = mpf("0.6875")


def literal(x: mpf) -> str:
    """A double as a hexadecimal literal."""
    return float(x).hex()


def on_grid(x: mpf, bits: int) -> mpf:
    """X rounded to a multiple of 2 ** -bits."""
    return floor(x * 2**bits + mpf(1) / 2) / mpf(2) ** bits


def powers() -> list[str]:
    """2 ** (i / 128): the nearest double and what is missing, as a share of it."""
    rows = []
    for i in range(STEPS):
        exact = exp(log(mpf(2)) * i / STEPS)
        nearest = mpf(float(exact))
        rows.append(f"    {{{literal(nearest)}, {literal((exact - nearest) / nearest)}}},")
    return rows


def logarithms() -> list[str]:
    """For each bin of mantissas from 0.6875: a short inverse of its middle, and -log of that inverse in two parts."""
    rows = []
    for i in range(STEPS):
        low, high = (bin_start(i), bin_start(i + 1))
        inverse = mpf(1) if low <= 1 <= high and (low == 1 or high == 1) else on_grid(2 / (low + high), 9)
        minus_log = -log(inverse)
        high_part = on_grid(minus_log, 42)
        rows.append(f"    {{{literal(inverse)}, {literal(high_part)}, {literal(minus_log - high_part)}}},")
    return rows


def bin_start(i: int) -> mpf:
    """Bins are equally wide in the bits of a double: 1/256 below 1 and 1/128 from there on."""
    start = FIRST_LOG_BIN + mpf(i) / 256
    return start if start <= 1 else 1 + 2 * (start - 1)


def fit(f: Callable[[mpf], mpf], low: mpf, high: mpf, terms: int) -> list[str]:
    """Coefficients of a polynomial near the best one, lowest power first."""
    coefficients, error = chebyfit(f, [low, high], terms, error=True)
    return [literal(c) for c in reversed(coefficients)] + [f"// error {float(error):.1g}"]


def log_rest(r: mpf) -> mpf:
    """(log(1 + r) - r + r ** 2 / 2) / r ** 3."""
    if abs(r) < mpf("1e-8"):
        return mpf(1) / 3 - r / 4 + r**2 / 5
    return (log(1 + r) - r + r * r / 2) / r**3


def log_gamma_slope(y: mpf) -> mpf:
    """Log Gamma(2 + y) / y."""
    if abs(y) < mpf("1e-20"):
        return 1 - mp.euler + (mp.zeta(2) - 1) / 2 * y
    return loggamma(2 + y) / y


def stirling(w: mpf) -> mpf:
    """X times the rest of Stirling's series, with w = 1 / x ** 2."""
    if w < mpf("1e-3"):
        return sum(bernoulli(2 * k) / (2 * k * (2 * k - 1)) * w ** (k - 1) for k in range(1, 25))
    x = 1 / mp.sqrt(w)
    return x * (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2)


def array(name: str, kind: str, size: int, rows: list[str]) -> list[str]:
    """The definition of an array."""
    return [f"const {kind} {name}[{size}] = {{", *rows, "};", ""]


def coefficients(name: str, rows: list[str]) -> list[str]:
    """The definition of an array of coefficients; the last row is a remark on their error."""
    *values, remark = rows
    return [remark, *array(name, "double", len(values), [f"    {value}," for value in values])]


def main() -> None:
    """Print the file."""
    ln2 = log(mpf(2))
    step, short = ln2 / STEPS, on_grid(ln2, 42)
    short_step = on_grid(step, 42)
    lines = [
        "// Made by tools/make_elementary_tables.py.",
        "// clang-format off",
        '#include "elementary/tables.hpp"',
        "",
        "namespace binyan::elementary {",
        "",
        f"// ln 2 = {literal(short)} + {literal(ln2 - short)}; ln 2 / 128 = {literal(short_step)} + "
        f"{literal(step - short_step)};",
        f"// 128 / ln 2 = {literal(1 / step)}; log(2 pi) / 2 = {literal(log(2 * pi) / 2)}",
        "",
        *array("kPowers", "Power", STEPS, powers()),
        *array("kLogBins", "LogBin", STEPS, logarithms()),
        *coefficients("kLogRest", fit(log_rest, -mpf(1) / 128, mpf(1) / 128, 6)),
        *coefficients("kLogGammaNearTwo", fit(log_gamma_slope, -mpf(1) / 2, mpf(1) / 2, 22)),
        *coefficients("kStirling", fit(stirling, mpf(0), mpf(1) / 64, 8)),
        "}  // namespace binyan::elementary",
    ]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
