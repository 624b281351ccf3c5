"""Segmentations to choose from, learnt from the words of a text: by our own morphology, Morfessor and the frequency splitter."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.util import find_spec

from binyan.clustering import word_frequencies
from binyan.morphology.map_sources import OWN, MapLearner, learn_segmentations
from binyan.ngram.segmentation_candidates import SegmentationCandidates
from binyan.progress import ProgressOption
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.text import Corpus

_BY_GRAMMAR = 4  # segmentations of a word
_BY_MORFESSOR = 3
_TYPES = 60_000  # that Morfessor learns from, the most frequent ones; our own morphology has the same bound


def learn_candidates(
    source: SegmentationTable | MapLearner,
    corpus: Corpus,
    further: SegmentationCandidates,
    seed: int,
    progress: ProgressOption = None,
) -> tuple[SegmentationTable, SegmentationCandidates]:
    """The segmentation that each word begins with, and all that it may have.

    It begins with that of `source`. To choose from, there are up to four segmentations of the adaptor grammar, three of Morfessor where it is
    installed, that of the frequency splitter, the word in one part, and those of `further`. Segmentations with the same first and the same last
    part count as one, since the model sees no difference.
    """
    frequencies = word_frequencies(corpus)
    counts = Counter({word: int(frequencies[word]) for word in corpus.vocabulary.own_words if frequencies[word]})
    table, alternatives = _by_grammar(source, counts + Counter(corpus.outside), corpus, seed, progress)
    candidates = SegmentationCandidates()
    known = {(word, _ends(table.components(word, "left"))) for word in counts}
    learnt = (*alternatives, *_by_morfessor(counts, seed, progress), *_by_frequency(counts, progress))
    for row in (*further.rows(), *learnt, *map(Segmentation.simplex, counts)):
        key = row.word, _ends(row.components("left"))
        if key not in known and row.word in counts and not candidates.is_full(row.word):
            known.add(key)
            candidates.add(row)
    return table, candidates


def _ends(parts: tuple[str, ...]) -> tuple[str, str]:
    return parts[0], parts[-1]


def _by_grammar(
    source: SegmentationTable | MapLearner, counts: Counter[str], corpus: Corpus, seed: int, progress: ProgressOption
) -> tuple[SegmentationTable, Iterable[Segmentation]]:
    from binyan.morphology.map_learning import learn_map

    learnt = learn_map(counts, n_best=_BY_GRAMMAR, seed=seed, progress=progress)
    if isinstance(source, MapLearner) and source.name == OWN:
        return learnt.segmentations, learnt.alternatives
    own = (*learnt.segmentations.values(), *learnt.alternatives)
    return learn_segmentations(source, corpus, seed, progress), own


def _by_morfessor(counts: Counter[str], seed: int, progress: ProgressOption) -> Iterator[Segmentation]:
    from binyan.segmentation.morfessor import learn_n_best

    if find_spec("morfessor") is None:
        logging.getLogger("binyan").info(
            "Morfessor is not installed: its segmentations are not among those to choose from"
        )
        return iter(())
    frequent = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_TYPES])
    return learn_n_best(frequent, counts, _BY_MORFESSOR, seed=seed, progress=progress)


def _by_frequency(counts: Counter[str], progress: ProgressOption) -> Iterable[Segmentation]:
    from binyan.segmentation.compound_splitter import CompoundSplitter

    return CompoundSplitter().fit(text=counts).split_words(counts, progress).values()
