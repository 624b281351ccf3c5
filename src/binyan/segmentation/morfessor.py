"""Segmentations learnt from a word list by Morfessor: Baseline (unlabelled morphs) or FlatCat (prefixes, stems, suffixes).

FlatCat continues the Cat-MAP of the thesis (section 4.4.2.2); its perplexity threshold is the thesis's.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from binyan.errors import InputError, MissingExtra, SettingsError
from binyan.progress import ProgressOption, track
from binyan.segmentation.segmentation import Part, Segmentation
from binyan.segmentation.table import SegmentationTable
from binyan.settings import Settings, gather, setting, takes_settings

METHODS = ("flatcat", "baseline")
# How a count enters the training data: every type once, its logarithm, or as it is.
DAMPENING: dict[str, Callable[[int], int]] = {
    "types": lambda n: 1,
    "log": lambda n: round(math.log2(n)) + 1,
    "tokens": lambda n: n,
}


@dataclass(frozen=True)
class MorfessorSettings(Settings):
    """How Morfessor learns. The thesis's perplexity threshold is 50 for a million words, 400 for tens of millions."""

    method: str = setting("flatcat", "flatcat (prefixes, stems, suffixes) or baseline (no labels).")
    perplexity_threshold: float = setting(
        50.0,
        "For FlatCat: how many different neighbours make an affix likely; higher finds fewer affixes.",
        metavar="X",
    )
    corpus_weight: float = setting(1.0, "Corpus weight; higher values segment less.", metavar="X")
    dampening: str = setting("log", "How counts enter training: types (each word once), log or tokens (as they are).")
    flatcat_epochs: int = setting(
        1,
        "Passes in which FlatCat changes the segmentation; 0 only labels what Baseline found, which is much faster.",
        metavar="N",
    )
    min_count: int = setting(1, "Learn only from words seen N times or more; segment all.", metavar="N")
    seed: int = setting(1, "Random seed.", metavar="S")

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(f"Morfessor's methods here are {' and '.join(METHODS)}, not {self.method!r}")
        if self.dampening not in DAMPENING:
            raise SettingsError(f"dampening is one of {', '.join(DAMPENING)}, not {self.dampening!r}")


@takes_settings(MorfessorSettings)
def learn(
    counts: Mapping[str, int], more_words: Iterable[str] = (), *, progress: ProgressOption = None, **settings: Any
) -> SegmentationTable:
    """Learn from words with their counts, and segment them and `more_words` (unseen ones: the map made post hoc).

    Words without a letter are left out. The keywords are the fields of MorfessorSettings.
    """
    [s] = gather("learn", settings, MorfessorSettings)
    if find_spec("morfessor") is None or find_spec("flatcat") is None:
        raise MissingExtra("learning segmentations by Morfessor", "morfessor")
    dampen = DAMPENING[s.dampening]
    data = [(dampen(n), w) for w, n in sorted(counts.items()) if n >= s.min_count and _has_letter(w)]
    if not data:
        raise InputError(f"no word with a letter, seen {s.min_count} times or more, to learn from")
    with _seeded(s.seed):
        segment = _baseline(data, s.corpus_weight)
        if s.method == "flatcat":
            segment = _flatcat(data, segment, s.perplexity_threshold, s.flatcat_epochs)
        words = dict.fromkeys([*(w for _, w in data), *filter(_has_letter, (*counts, *more_words))])
        tracked = track(words, "words segmented", len(words), progress, every=1000)
        return SegmentationTable(Segmentation(word, segment(word)) for word in tracked)


def learn_n_best(
    counts: Mapping[str, int], words: Iterable[str], n: int, *, seed: int = 1, progress: ProgressOption = None
) -> Iterator[Segmentation]:
    """Learn from words with their counts by Baseline, every type once; up to `n` segmentations of each of `words`, best first."""
    if find_spec("morfessor") is None:
        raise MissingExtra("learning segmentations by Morfessor", "morfessor")
    data = [(1, word) for word in sorted(counts) if _has_letter(word)]
    if not data:
        raise InputError("no word with a letter to learn from")
    with _seeded(seed):
        model = _baseline_model(data, 1.0)
    listed = list(filter(_has_letter, words))
    for word in track(listed, "words segmented", len(listed), progress, every=1000):
        for morphs, _ in model.viterbi_nbest(word, n):
            yield Segmentation(word, tuple(map(Part, morphs)))


SegmentWord = Callable[[str], tuple[Part, ...]]


def _baseline(data: list[tuple[int, str]], corpus_weight: float) -> SegmentWord:
    model = _baseline_model(data, corpus_weight)
    return lambda word: tuple(Part(morph) for morph in model.viterbi_segment(word)[0])


def _baseline_model(data: list[tuple[int, str]], corpus_weight: float) -> Any:
    import morfessor

    morfessor.utils.show_progress_bar = False
    model: Any = morfessor.BaselineModel(corpusweight=corpus_weight)
    model.load_data(data)
    model.train_batch()
    return model


def _flatcat(data: list[tuple[int, str]], start: SegmentWord, perplexity_threshold: float, epochs: int) -> SegmentWord:
    import flatcat

    flatcat.utils.show_progress_bar = False
    usage: Any = flatcat.MorphUsageProperties(ppl_threshold=perplexity_threshold)
    model: Any = flatcat.FlatcatModel(usage)
    model.add_corpus_data([(n, tuple(part.text for part in start(word))) for n, word in data])
    model.initialize_hmm()
    if epochs:
        model.train_batch(max_epochs=epochs)
    tidy: Any = flatcat.HeuristicPostprocessor()

    def segment(word: str) -> tuple[Part, ...]:
        morphs = tidy.apply_to(_best_morphs(model, word), model)
        # What is left of non-morphemes counts as stems.
        return tuple(Part(m.morph, m.category if m.category in ("PRE", "STM", "SUF") else "STM") for m in morphs)

    return segment


def _best_morphs(model: Any, word: str) -> Sequence[Any]:
    """The most probable morphs of a word with their categories, as FlatCat's own `viterbi_analyze` finds them.

    FlatCat keeps a state for every length of the last morph. Its model looks at categories alone, so the best length will do.
    """
    from flatcat.flatcat import DEFAULT_CATEGORY, LOGPROB_ZERO, WORD_BOUNDARY, CategorizedMorph, get_categories

    coding, categories = model._corpus_coding, [c for c in get_categories(wb=True) if c != WORD_BOUNDARY]
    best: list[dict[str, tuple[float, int, str]]] = [
        {WORD_BOUNDARY: (0.0, 0, "")}
    ]  # cost, where the morph begins, category before it
    for end in range(1, len(word) + 1):
        here: dict[str, tuple[float, int, str]] = {}
        for begin in range(end - 1, -1, -1):
            if best[begin] and (morph := word[begin:end]) in model:
                for category in categories:
                    lowest = here.get(category, (math.inf, 0, ""))
                    for before, (cost, _, _) in best[begin].items():
                        total = cost + coding.transit_emit_cost(before, category, morph)
                        if total <= lowest[0]:
                            lowest = total, begin, before
                    here[category] = lowest
        best.append(here)
    ends = {c: cost + coding.log_transitionprob(c, WORD_BOUNDARY) for c, (cost, _, _) in best[-1].items()}
    lowest_end = min(ends.values(), default=math.inf)
    if lowest_end >= LOGPROB_ZERO:
        return [CategorizedMorph(word, DEFAULT_CATEGORY)]
    category = [c for c, cost in ends.items() if cost == lowest_end][-1]
    morphs, end = [], len(word)
    while end > 0:
        _, begin, before = best[end][category]
        morphs.append(CategorizedMorph(word[begin:end], category))
        end, category = begin, before
    return morphs[::-1]


def _has_letter(word: str) -> bool:
    return any(c.isalpha() for c in word) and not word.startswith("<")


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Morfessor draws from the global generator: seed it, and leave it as it was."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)
