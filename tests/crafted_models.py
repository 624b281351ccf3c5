"""Model files whose checksums hold and whose contents make no sense: one number of a section is changed, and the model is used.

Run as a program by tests/unit/test_crafted_models.py, so that a crash or a hang is that of another process.
"""

from __future__ import annotations

import math
import random
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from binyan import model_file
from binyan.errors import BinyanError
from binyan.language_model import LanguageModel
from binyan.model import from_bytes
from binyan.morphology import Morphology
from binyan.morphology.adaptor import AdaptorSampler
from binyan.translation import Decoder, RuleTable

PLACES = 1  # of each section, drawn, beside the first and the last
SECONDS = 20  # a model that is not loaded and used by then hangs
SENTENCE = ["der", "hund", "sah", "den", "mondhund", "zaun"]


def values(old: Any, dtype: np.dtype[Any]) -> Iterator[Any]:
    """What is written in the place of a number: too large, off by one, not a number."""
    if dtype.kind == "f":
        yield from (math.nan, math.inf, -math.inf, -1.0, 2.5, 1e30, 0.0)
        return
    if dtype.kind == "b":
        yield not old
        return
    limits = np.iinfo(dtype)
    for value in (0, 1, int(old) + 1, int(old) - 1, limits.max, limits.max - 1, limits.max // 2 + 1, limits.min):
        if limits.min <= value <= limits.max and value != old:
            yield value
    if dtype == np.uint64:  # where a double is stored as its bits
        yield from (int(np.float64(x).view(np.uint64)) for x in (math.nan, math.inf, -1.0, 1.5))


def mutations(file: model_file.ModelFile, seed: int) -> Iterator[tuple[str, dict[str, model_file.Section]]]:
    """Sections with one number changed, cut short or made longer, with what was done."""
    chance = random.Random(seed)
    for name, section in file.sections.items():
        if isinstance(section, bytes):
            yield f"{name} cut", {**file.sections, name: section[: len(section) // 2]}
            yield f"{name} doubled", {**file.sections, name: section + section}
            continue
        flat = section.reshape(-1)
        if not flat.size:
            continue
        if section.ndim == 1:
            yield f"{name} cut", {**file.sections, name: section[:-1]}
            yield f"{name} doubled", {**file.sections, name: np.concatenate([section, section])}
        places = {0, flat.size - 1, *(chance.randrange(flat.size) for _ in range(PLACES))}
        for place in sorted(places):
            for value in values(flat[place], section.dtype):
                changed = flat.copy()
                changed[place] = value
                yield f"{name}[{place}] = {value}", {**file.sections, name: changed.reshape(section.shape)}


def use(model: Any, data: bytes) -> None:
    """Ask a model what it is for; raises ValueError for an answer that is not a number."""
    if isinstance(model, LanguageModel):
        scores = model.score_sentences([SENTENCE, []])
        answers = [*np.asarray(scores.log_prob, np.float64), *model.distribution(model.begin())]
        if any(math.isnan(x) or x == math.inf for x in answers):
            raise ValueError("a score is not a number")
        sampling = getattr(model, "sampling", None)
        if sampling is not None:
            for chain in sampling.chains.chains[:1]:
                chain.step()
    elif isinstance(model, Morphology):
        for word in ("kataba", "bktAbhm", model.posterior.words.words[0]):
            for one in model.segmentations(word):
                if not 0.0 <= (one.probability or 0.0) <= 1.0 + 1e-9:
                    raise ValueError("a probability is not one")
        file = model_file.from_bytes(data)
        if any(name.endswith(".trace") for name in file.sections):
            sampler = AdaptorSampler.from_file(file)
            for state in sampler.states:
                sampler.step(state)
    elif isinstance(model, RuleTable):
        list(model.rules())
        model.restricted([["a", "b", "c"]])
        for hypothesis in Decoder(model).translate([["a", "b", "c", "a"]]):
            assert math.isfinite(hypothesis.score)
    else:
        model.segmentations("hausboot")
        model.split("mondhund")


def main(path: str, seed: int) -> None:
    """Try every mutation of a model file; prints each before it is tried, and at the end how many there were."""
    warnings.simplefilter("ignore")
    file = model_file.load(path)
    use(from_bytes(Path(path).read_bytes()), Path(path).read_bytes())
    tried = refused = 0
    for what, sections in mutations(file, seed):
        print(what, flush=True)
        signal.alarm(SECONDS)
        data = model_file.to_bytes(file.kind, file.meta, sections)
        try:
            use(from_bytes(data), data)
        except BinyanError:
            refused += 1
        tried += 1
    signal.alarm(0)
    print(f"tried {tried}, refused {refused}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
