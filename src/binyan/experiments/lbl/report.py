"""The report of chapter 4: its tables from results, beside the thesis's. Models are tuned on the development novels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from binyan.experiments.experiment import Experiment
from binyan.experiments.lbl import mixtures, seed_tables, selection_tables, similarity_tables, text_tables
from binyan.experiments.lbl.stored import StoredRuns
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results

_PERPLEXITY = (
    "Test perplexity, including unknown words. For each model, the penalty lambda and the epoch are those with the lowest perplexity on "
    "the development novels. Development and test texts are different novels, so two more texts are shown: a second development text, which "
    "follows the training text in the same novels, and news (PUD), since the thesis tested on news. The thesis trained on different text, so "
    "only changes can be compared."
)
_MIXTURES = (
    "Weights are fitted on the development novels: fixed weights by EM, and weights by context. The latter depend on the length and "
    "the back-off weights of the longest context that the n-gram model has seen, on the prediction vector of CLBL++, and on whether the next "
    "word is unknown; each context length of the n-gram model has its own weights. Of the penalties of CLBL++, the one that is best with "
    "fixed weights on the development novels is used. 'The better' is the model that is better alone."
)
_SIMILARITY = (
    "Spearman's rho times 100. CLBL, and CLBL++ where words are not composed, use <unk> for words outside the vocabulary. The thesis "
    "trained on 19 to 57 million tokens of parliament and news commentary."
)


_FAMILY = (
    "Averages over the six languages, and the spread of changes over them: boxes from the first to the third quartile, a line at the "
    "median, a circle at the mean. Times are for scoring the test novels."
)
_BINS = "The same models with 200 classes of equal frequency in place of 200 Brown classes."
_NEWS = (
    "Changes in perplexity of models trained on 33.7 million tokens of German parliamentary text. Their test text is from the same parliament, "
    "where long n-grams recur. The thesis tested on news; so does our column 'news' (a thousand sentences, PUD)."
)
_KAPPA = (
    "Kappa is the share of the words seen once that is left out of the vocabulary. The thesis finds that morphemes gain less if all of them are "
    "left out. Our models keep the morphemes of such words in contexts; the last rows for each kappa have <unk> in their place, as in the thesis."
)
_MAP = (
    "Vectors of the most used affixes of the English model trained on the most text, mapped to the plane by t-SNE on cosines. Prefixes end in "
    "a hyphen, suffixes begin with one."
)


def sections(results: Results, thesis: Mapping[str, Any], experiments: Sequence[Experiment]) -> list[ReportSection]:
    """The report on these experiments, as far as they have results."""
    stored = StoredRuns(results, experiments)
    figures = thesis.get("lbl", {})
    by_setting = [selection_tables.perplexity(stored, s, figures) for s in stored.settings()]
    family = [
        *selection_tables.averages(stored, figures),
        *selection_tables.boxes(stored, figures),
        *selection_tables.scoring_times(stored, figures),
        *selection_tables.map_words(stored),
    ]
    vectors = [*similarity_tables.similarity(stored, figures), *seed_tables.known_pairs(stored)]
    by_pos = [*text_tables.groups(stored, "by_pos", "part of speech"), *text_tables.sequences(stored, figures)]
    listed = [
        ReportSection("Perplexity", _PERPLEXITY, by_setting),
        ReportSection("Text further from training", _NEWS, text_tables.by_text(stored, figures)),
        ReportSection("The family of models", _FAMILY, family),
        ReportSection("Mixtures", _MIXTURES, mixtures.table(stored)),
        ReportSection("By frequency", "", text_tables.groups(stored, "by_frequency", "training count")),
        ReportSection("By part of speech", "News (PUD), with gold tags.", by_pos),
        ReportSection("Words seen once", _KAPPA, seed_tables.kappa(stored)),
        ReportSection("Penalty", "", selection_tables.penalties(stored)),
        ReportSection("Classes", _BINS, selection_tables.bins(stored)),
        ReportSection("Sizes", "", list(text_tables.sizes(stored, figures))),
        ReportSection("Word similarity", _SIMILARITY, vectors),
        ReportSection("A map of morphemes", _MAP, (), similarity_tables.maps(stored)),
    ]
    missing = f"{stored.missing} experiments have no result yet." if stored.missing else ""
    return [
        *(s for s in listed if s.tables or s.drawings),
        *([ReportSection("Missing", missing)] if missing else []),
    ]
