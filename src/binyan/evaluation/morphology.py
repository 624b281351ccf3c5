"""A learnt morphology against a gold standard: segment borders, roots, lexica; and the trace of how it was learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from binyan.errors import InputError, SettingsError
from binyan.evaluation.gold import GoldWord, halves, read_gold
from binyan.evaluation.lexicon import LexiconScore, area_under, gold_lexicon, roc_curve, roc_table, score_lexicon
from binyan.evaluation.root_kinds import KINDS, score_root_answers
from binyan.evaluation.roots import RootScore, score_roots
from binyan.evaluation.segmentation import BorderScore, Granularity, morphemes_per_word, score_segmentation
from binyan.evaluation.table import Table
from binyan.evaluation.traces import agreement_table, trace
from binyan.files import PathLike
from binyan.grammar.roles import ROLES, WITHIN_STEMS
from binyan.grammar.tree_segments import Method
from binyan.model_file import is_model_file
from binyan.morphology import Analysis, Morphology
from binyan.segmentation import Segmentation
from binyan.segmentation.segmentation_file import SegmentationFile, read_segmentations
from binyan.signature import digest

TASKS = ("segmentation", "roots", "lexicon")
HALVES = ("all", "development", "report")
_MOST_ROWS = 1000  # of a trace


class Analyser(Protocol):
    """Anything that analyses words (see `binyan.Morphology`)."""

    def analyses(self, word: str, n: int) -> Sequence[Analysis]:
        """The most probable analyses, best first."""


@dataclass(frozen=True)
class BestAnalyses:
    """The most probable tree of each gold word: what segmentation, roots and lexica of MAP trees are read off."""

    gold: Sequence[GoldWord]
    best: Mapping[str, Analysis]

    def __post_init__(self) -> None:
        if not self.best:
            raise InputError("the model analyses none of the gold words; was it learnt from another language?")

    @classmethod
    def of(cls, analyser: Analyser, gold: Sequence[GoldWord]) -> BestAnalyses:
        """Analyse every gold word, seen in training or not."""
        return cls(gold, {word.word: analyses[0] for word in gold if (analyses := analyser.analyses(word.word, 1))})

    @property
    def pieces(self) -> dict[str, Segmentation]:
        """Each word cut into contiguous pieces."""
        return {word: analysis.segmentation.contiguous() for word, analysis in self.best.items()}

    def segmentation(self, granularity: Granularity = "fine", least_morphemes: int = 1) -> BorderScore:
        """Segment borders."""
        return score_segmentation(self.pieces, self.gold, granularity, least_morphemes)

    def root_candidates(self, length: int, method: Method) -> dict[str, list[str]]:
        """The roots read off the trees."""
        return {word: analysis.roots(length, method) for word, analysis in self.best.items()}

    def roots(self, length: int = 3, method: Method = "A", roots_that_are_stems: bool = True) -> RootScore:
        """Exact matches of roots."""
        return score_roots(self.root_candidates(length, method), self.gold, length, roots_that_are_stems)

    def lexicon(self, category: str) -> dict[str, float]:
        """The strings of a category in the best trees, by how many trees have them (thesis, section 5.8.5.1)."""
        counts: Counter[str] = Counter()
        for analysis in self.best.values():
            counts.update(strings(analysis, category))
        return {string: count / len(self.best) for string, count in counts.items()}

    def lexicon_score(self, category: str, ranking: Mapping[str, float] | None = None) -> LexiconScore:
        """The lexicon of the best trees as a set; the area under the ROC curve of `ranking`, or of the same lexicon."""
        truth = gold_lexicon(self.gold, category)
        score = score_lexicon(self.lexicon(category), truth)
        if ranking is None:
            return score
        area = area_under(roc_curve(ranking, truth))
        return LexiconScore(score.precision, score.recall, score.f1, area, score.entries, score.gold)


def strings(analysis: Analysis, category: str) -> list[str]:
    """What an analysis has of a category: a label of segments (pre, stem, suf) or a root (root3, root4).

    A constituent with gaps is one string.
    """
    if category.startswith("root"):
        return analysis.roots(int(category.removeprefix("root") or 3), "A")
    known = [label for role, label in ROLES.items() if role not in WITHIN_STEMS]
    if category not in known:
        raise SettingsError(f"no category {category!r}; there are {', '.join([*known, 'root3', 'root4'])}")
    return analysis.constituents(category)


@dataclass
class LexiconSums:
    """P(string, category): how often the category governs the string, over words and their sampled analyses.

    Thesis, section 5.8.5.2.
    """

    category: str
    sums: dict[str, float] = field(default_factory=dict)
    words: int = 0

    def add(self, analyses: Iterable[Analysis]) -> None:
        """The analyses of one more word."""
        self.words += 1
        for analysis in analyses:
            for string in strings(analysis, self.category):
                self.sums[string] = self.sums.get(string, 0.0) + analysis.probability

    @property
    def probabilities(self) -> dict[str, float]:
        """By string."""
        return {string: value / max(self.words, 1) for string, value in self.sums.items()}


def sampled_lexicon(
    analyser: Analyser, words: Iterable[str], category: str, analyses_per_word: int = 10
) -> dict[str, float]:
    """The probabilities of `LexiconSums` over these words."""
    lexicon = LexiconSums(category)
    for word in words:
        lexicon.add(analyser.analyses(word, analyses_per_word))
    return lexicon.probabilities


@dataclass(frozen=True)
class MorphologyEvaluation:
    """How well a morphology does one task: its figures, and tables that go with them."""

    task: str
    figures: Mapping[str, Any]
    signature: str
    tables: Mapping[str, Table] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"task": self.task, **self.figures, "signature": self.signature}

    def __str__(self) -> str:
        parts = [f"{name} {_found(self.figures[name])}" for name in ("all", *KINDS) if name in self.figures]
        apart = f"{'; '.join(parts)}\n" if parts else ""
        return f"{_LINES[self.task].format(**self.figures)}\n{apart}{self.signature}"


def _found(score: Mapping[str, Any]) -> str:
    accuracy = "–" if score["accuracy"] is None else f"{score['accuracy']:.1f}"
    return f"{accuracy} of {score['evaluated']}"


_LINES = {
    "segmentation": "segment borders: precision {precision:.1f}, recall {recall:.1f}, F1 {f1:.1f} "
    "[{f1_low:.1f}, {f1_high:.1f}], {words} words",
    "roots": "roots: accuracy {accuracy:.1f} [{accuracy_low:.1f}, {accuracy_high:.1f}] of {evaluated} words",
    "lexicon": "lexicon: precision {precision:.1f}, recall {recall:.1f}, F1 {f1:.1f}, "
    "area under the ROC curve {auc:.3f}, {entries} entries",
}


def evaluate_morphology(
    morphology: Morphology | PathLike,
    gold: PathLike,
    task: str = "segmentation",
    *,
    coarse: bool = False,
    at_least: int = 1,
    length: int = 3,
    method: Method | None = None,
    category: str = "stem",
    half: str = "all",
    short_geminates: bool = False,
) -> MorphologyEvaluation:
    """Compare what a morphology says of the words of a gold file with what they are; words it did not learn from are analysed, too.

    In place of a morphology, the name of a model file, or of a file of segmentations as any program writes them (see
    `binyan.segmentation.segmentation_file`); for the latter the task is segmentation, and words that it lacks count as whole.
    For segmentation: `coarse` looks at borders of stems only, `at_least` at words of that many morphemes. For roots: the number of
    radicals; the root of a word is the most probable one over all its analyses, or none, as `Morphology.find_roots` says it, and strong,
    weak and geminate roots are scored apart (`short_geminates`: gold writes these with one letter less). With `method` A or B it is the
    thesis's measure instead: roots read off the best tree, where the stem shows them. For the lexicon: a `category` such as pre, stem, suf, root3. `half`: all gold words, or only
    the development or report half of them.
    """
    if task not in TASKS:
        raise SettingsError(f"the task is segmentation, roots or lexicon, not {task!r}")
    if half not in HALVES:
        raise SettingsError(f"the half is all, development or report, not {half!r}")
    if not isinstance(morphology, Morphology):
        if not is_model_file(morphology):
            return _evaluate_segmentations(read_segmentations(morphology), gold, task, coarse, at_least, half)
        morphology = Morphology.load(morphology)
    prepare = morphology.words.prepare
    words = _half(read_gold(gold, lambda text: "".join(prepare(text))), half)
    analysed = BestAnalyses.of(morphology, words)
    signature = f"{morphology.signature()}|gold:{digest(Path(gold).read_bytes())}|half:{half}|task:{task}"
    if task == "segmentation":
        score = analysed.segmentation("coarse" if coarse else "fine", at_least)
        table = morphemes_per_word({"model": analysed.pieces}, words, signature)
        return MorphologyEvaluation(task, score.to_dict(), signature, {"morphemes_per_word": table})
    if task == "roots" and method is not None:
        return MorphologyEvaluation(task, analysed.roots(length, method).to_dict(), f"{signature}|method:{method}")
    if task == "roots":
        answers = {word: morphology.root(word) for word in analysed.best}
        scores = score_root_answers(answers, words, length, short_geminates)
        return MorphologyEvaluation(task, scores.to_dict(), signature, {"roots": scores.table(signature)})
    ranking = sampled_lexicon(morphology, [word.word for word in words], category)
    curve = roc_curve(ranking, gold_lexicon(words, category))
    table = roc_table({category: curve}, f"ROC of the lexicon: {category}", signature)
    return MorphologyEvaluation(task, analysed.lexicon_score(category, ranking).to_dict(), signature, {"roc": table})


def _evaluate_segmentations(
    given: SegmentationFile, gold: PathLike, task: str, coarse: bool, at_least: int, half: str
) -> MorphologyEvaluation:
    if task != "segmentation":
        raise SettingsError(f"a file of segmentations can be compared by segment borders only, not by {task}")
    words = _half(read_gold(gold), half)
    if not any(word.word in given.table for word in words):
        raise InputError(f"of the {len(words):,} gold words none is among the {len(given.table):,} segmented ones")
    score = score_segmentation(given.table, words, "coarse" if coarse else "fine", at_least)
    signature = f"{given.signature}|gold:{digest(Path(gold).read_bytes())}|half:{half}|task:{task}"
    table = morphemes_per_word({"file": given.table}, words, signature)
    return MorphologyEvaluation(task, score.to_dict(), signature, {"morphemes_per_word": table})


def _half(words: list[GoldWord], half: str) -> list[GoldWord]:
    return words if half == "all" else halves(words)[half == "report"]


def trace_table(morphology: Morphology, figure: str = "log_joint") -> Table:
    """A figure after every sweep of every chain, and whether the chains agree."""
    if figure == "agreement":
        return agreement_table(morphology.agreement, str(morphology.signature()))
    if figure not in morphology.trace_columns:
        raise SettingsError(f"the trace has no {figure!r}; it has {', '.join(morphology.trace_columns)}, agreement")
    if not morphology.trace:
        raise SettingsError("the model was saved without the trace of its chains")
    column = morphology.trace_columns.index(figure)
    chains = {f"chain {i}": rows[:, column].tolist() for i, rows in enumerate(morphology.trace)}
    every = max(1, min(map(len, chains.values())) // _MOST_ROWS)
    burn_in = min(morphology.settings.burned, 9 * min(map(len, chains.values())) // 10)
    return trace(chains, str(morphology.signature()), burn_in, figure.replace("_", " "), every)
