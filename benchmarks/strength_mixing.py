"""Does it pay to sum out the seatings when a and b are drawn? Effective draws of a and log b per sweep, both ways.

Given the trees of all words and how many tables each cached tree has, all that is below the tables is fixed; how the customers of a
tree are spread over its tables is not. So a and b can be drawn with table sizes summed out, by generalised Stirling numbers S(c, t, a) in
place of products over tables, if the sizes are then drawn again. The numbers of tables cannot be summed out in closed form:
every table of a tree is an observation of the rules and of the trees below it.

    python benchmarks/strength_mixing.py --words BW.tsv.xz --grammar root-template-affixes --count 1000 --sweeps 300
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from chain_agreement import sample_words
from numpy.typing import NDArray
from scipy.special import gammaln

from binyan.grammar.notation import load_grammar
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList

Floats = NDArray[np.float64]
LARGEST = 100  # customers of a tree whose table sizes are summed out
ROUNDS = 5


def slice_sample(
    rng: np.random.Generator, x: float, low: float, high: float, width: float, log_density: Callable[[float], float]
) -> float:
    """One update of a bounded variable (Neal 2003), as the core makes it."""
    level = log_density(x) + math.log(1.0 - rng.random())
    left = x - width * rng.random()
    right = left + width
    while left > low and log_density(left) > level:
        left -= width
    while right < high and log_density(right) > level:
        right += width
    left, right = max(left, low), min(right, high)
    while True:
        y = left + (right - left) * rng.random()
        if low < y < high and log_density(y) > level:
            return y
        left, right = (y, right) if y < x else (left, y)
        if right - left < 1e-12:
            return x


def stirling(customers: int, discount: float) -> Floats:
    """S(c, t, a) / (c - 1)! for all c up to `customers`: a row for each c."""
    table = np.zeros((customers + 1, customers + 2))
    table[1, 1] = 1.0
    t = np.arange(customers + 2)
    for c in range(1, customers):
        table[c + 1, 1:] = table[c, :-1] / c + (c - discount * t[1:]) / c * table[c, 1:]
        table[c + 1, c + 2 :] = 0.0
    return table


def draw_sizes(rng: np.random.Generator, customers: int, tables: int, discount: float, table: Floats) -> list[int]:
    """Table sizes given their number: who opens a table is drawn from the last customer to the first, then where the others sit."""
    opens, left = [], tables
    for c in range(customers, 0, -1):
        alone = table[c - 1, left - 1] / (c - 1) / table[c, left] if c > 1 else 1.0
        opens.append(c == left or rng.random() < alone)
        left -= opens[-1]
    sizes: list[int] = []
    for new in reversed(opens):
        if new:
            sizes.append(1)
        else:
            weights = np.array(sizes) - discount
            sizes[int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))] += 1
    return sizes


class Room:
    """The restaurant of a symbol in the state of a chain: where its a and b stand, and the table sizes of each tree."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.dishes: list[tuple[int, int]] = []  # customers, where the list of sizes begins
        self.sizes: list[list[int]] = []

    def log_openings(self, a: float, b: float) -> float:
        n, m = sum(c for c, _ in self.dishes), sum(map(len, self.sizes))
        return (
            (m - 1) * math.log(a)
            + float(gammaln(m + b / a) - gammaln(1 + b / a))
            + float(gammaln(1 + b) - gammaln(n + b))
        )

    def new_strength(self, rng: np.random.Generator, a: float, b: float) -> float:
        def log_density(log_b: float) -> float:
            strength = math.exp(min(log_b, 300.0))
            return self.log_openings(a, strength) + 0.1 * log_b - strength / 10

        return math.exp(slice_sample(rng, math.log(b), -500, 500, 2.0, log_density))

    def new_discount(self, rng: np.random.Generator, a: float, b: float, log_sizes: Callable[[float], float]) -> float:
        return slice_sample(rng, a, 0.0, 1.0, 0.2, lambda x: self.log_openings(x, b) + log_sizes(x))

    def update(self, rng: np.random.Generator, a: float, b: float, summed: bool) -> tuple[float, float]:
        """New a and b; with `summed`, new table sizes as well."""
        ambiguous = [1 < len(s) < sum(s) <= LARGEST and summed for s in self.sizes]
        given = np.array([n for s, free in zip(self.sizes, ambiguous, strict=True) if not free for n in s] or [1])
        pairs = [(sum(s), len(s)) for s, free in zip(self.sizes, ambiguous, strict=True) if free]
        most = max((c for c, _ in pairs), default=0)
        cs, ts = np.array([p[0] for p in pairs], int), np.array([p[1] for p in pairs], int)

        def log_sizes(a: float) -> float:
            total = float((gammaln(given - a) - gammaln(1 - a)).sum())
            return total + float(np.log(stirling(most, a)[cs, ts]).sum()) if pairs else total

        for _ in range(ROUNDS):
            b = self.new_strength(rng, a, b)
            a = self.new_discount(rng, a, b, log_sizes)
        table = stirling(most, a) if pairs else np.zeros(0)
        self.sizes = [
            draw_sizes(rng, sum(s), len(s), a, table) if free else s
            for s, free in zip(self.sizes, ambiguous, strict=True)
        ]
        return a, b


def rooms(state: NDArray[np.uint64]) -> list[Room]:
    """The restaurants in the state of a chain (see `Chain::state` in the core)."""
    result = [Room(2 + 2 * k) for k in range(int(state[1]))]
    at = 2 + 2 * int(state[1])
    for _ in range(3):  # rule counts, free trees, first trees
        at += 1 + int(state[at])
    trees, at = int(state[at]), at + 1
    for _ in range(trees):
        adapted, customers, tables = int(state[at]), int(state[at + 2]), int(state[at + 3])
        at += 7
        at += 1 + int(state[at])
        count = int(state[at])
        if adapted < len(result):
            result[adapted].dishes.append((customers, at + 1))
            sizes = [int(x) for x in state[at + 1 : at + 1 + count]] if count else [customers] * min(tables, 1)
            result[adapted].sizes.append(sizes)
        at += 1 + count
    return result


def chain_traces(sampler: AdaptorSampler, sweeps: int, summed: bool) -> tuple[Floats, float]:
    """A and log b of each symbol after each sweep, and the processor seconds of sweeps without those of this script."""
    rng, chain = np.random.default_rng(1), sampler.init().core
    rows, seconds = [], 0.0
    for _ in range(sweeps):
        begin = time.process_time()
        chain.sweep(relabel=True, hyperparameters=False)
        seconds += time.process_time() - begin
        state = np.array(chain.state())
        numbers = state.view(np.float64)
        row = []
        for room in rooms(state):
            if room.dishes:
                a, b = room.update(rng, float(numbers[room.place]), float(numbers[room.place + 1]), summed)
                numbers[room.place : room.place + 2] = a, b
                for (_, at), sizes in zip(room.dishes, room.sizes, strict=True):
                    if len(sizes) > 1:
                        state[at : at + len(sizes)] = sizes
            row += [float(numbers[room.place]), math.log(float(numbers[room.place + 1]))]
        chain.restore(state)
        rows.append(row)
    return np.array(rows), seconds


def effective_size(draws: Floats) -> float:
    """Draws over the integrated autocorrelation time (Geyer's initial positive sequence)."""
    x = draws - draws.mean()
    if not x.any():
        return float(len(x))
    correlation = np.correlate(x, x, "full")[len(x) - 1 :] / (x @ x)
    total = -1.0
    for i in range(0, len(x) - 1, 2):
        pair = correlation[i] + correlation[i + 1]
        if pair <= 0:
            break
        total += 2 * pair
    return len(x) / max(total, 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=Path, required=True, help="a word list; the first column is taken")
    parser.add_argument("--grammar", default="affixes", help="a shipped grammar or a grammar file")
    parser.add_argument("--count", type=int, default=1000, help="words of the list")
    parser.add_argument("--sweeps", type=int, default=300, help="the first fifth is left out")
    options = parser.parse_args()
    words = WordList.of(sample_words(options.words, options.count, 1))
    settings = MorphologySettings(sweeps=options.sweeps, burn_in=options.sweeps - 1, joint=0.0)
    sampler = AdaptorSampler(load_grammar(options.grammar), words, settings)
    sizes = {}
    for summed in (False, True):
        trace, seconds = chain_traces(sampler, options.sweeps, summed)
        late = trace[options.sweeps // 5 :]
        sizes[summed] = [effective_size(column) for column in late.T]
        print(f"table sizes {'summed out' if summed else 'given'}: {seconds:.1f} s of sweeps, {len(late)} draws")
    print("symbol\ta, given\ta, summed out\tlog b, given\tlog b, summed out")
    for k, symbol in enumerate(sampler.compiled.adapted_symbols):
        each = [sizes[False][2 * k], sizes[True][2 * k], sizes[False][2 * k + 1], sizes[True][2 * k + 1]]
        print(symbol, *(f"{value:.0f}" for value in each), sep="\t")
    means = [np.mean(sizes[summed][part::2]) for part in (0, 1) for summed in (False, True)]
    print("mean", *(f"{value:.0f}" for value in means), sep="\t")


if __name__ == "__main__":
    main()
