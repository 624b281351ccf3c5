"""What chapter 5 reads off all samples of a morphology, and examples of its analyses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from binyan.evaluation.gold import GoldWord
from binyan.evaluation.lexicon import LexiconScore, area_under, gold_lexicon, roc_curve, score_lexicon
from binyan.evaluation.morphology import Analyser, BestAnalyses, LexiconSums
from binyan.evaluation.roots import strong_roots
from binyan.evaluation.segmentation import borders, score_segmentation
from binyan.morphology.analysis import Analysis
from binyan.segmentation import Segmentation

ANALYSES = 10  # per word, of which probabilities are summed
SAMPLED = ("pre", "stem", "suf", "root3")  # the categories of which all samples make a lexicon
_TREES, _ROOTS, _EXAMPLES = 4, 5, 3  # how many are kept


@dataclass(frozen=True)
class SampledAnalyses:
    """What the samples of a morphology say of gold words: the best tree, lexica by category, and the most probable segmentation.

    `templates`: the probabilities of strings of three characters that templates govern.
    """

    best: BestAnalyses
    lexica: Mapping[str, Mapping[str, float]]
    marginal: Mapping[str, Segmentation]
    templates: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, analyser: Analyser, gold: Sequence[GoldWord], categories: Sequence[str] = SAMPLED) -> SampledAnalyses:
        """Every word is analysed once."""
        best, marginal, lexica = dict[str, Analysis](), dict[str, Segmentation](), list(map(LexiconSums, categories))
        templates: dict[str, float] = defaultdict(float)
        for word in gold:
            analyses = analyser.analyses(word.word, ANALYSES)
            for lexicon in lexica:
                lexicon.add(analyses)
            for analysis in analyses:
                for string in template_strings(analysis):
                    templates[string] += analysis.probability / len(gold)
            if analyses:
                best[word.word], marginal[word.word] = analyses[0], marginal_segmentation(analyses)
        return cls(BestAnalyses(gold, best), {x.category: x.probabilities for x in lexica}, marginal, templates)

    def scores(self) -> dict[str, Any]:
        """Segment borders of maximum marginal decoding, and lexica of everything that the samples have."""
        gold = self.best.gold
        return {
            "segmentation_marginal": score_segmentation(self.marginal, gold).to_dict(),
            "sampled_lexicon": {c: score_lexicon(r, gold_lexicon(gold, c)).to_dict() for c, r in self.lexica.items()},
        }


def marginal_segmentation(analyses: Iterable[Analysis]) -> Segmentation:
    """The segmentation with the highest probability, summed over its trees (maximum marginal decoding)."""
    sums: dict[frozenset[int], float] = {}
    first: dict[frozenset[int], Segmentation] = {}
    for analysis in analyses:
        pieces = analysis.segmentation.contiguous()
        places = borders(pieces)
        sums[places] = sums.get(places, 0.0) + analysis.probability
        first.setdefault(places, pieces)
    return first[max(sums, key=lambda places: sums[places])]


def template_strings(analysis: Analysis) -> list[str]:
    """The strings of three characters that templates govern: where root and template have swapped their parts, the roots."""
    roots = analysis.roots(3, "A")
    return [string for string in analysis.roots(3, "B") if string not in roots]


def score_template_lexicon(analysed: BestAnalyses, ranking: Mapping[str, float]) -> LexiconScore:
    """The strings that templates govern in the best trees as a set of roots, and the area under the ROC curve of `ranking`."""
    lexicon = {string: 1.0 for analysis in analysed.best.values() for string in template_strings(analysis)}
    truth = gold_lexicon(analysed.gold, "root3")
    return replace(score_lexicon(lexicon, truth), auc=area_under(roc_curve(ranking, truth)))


def trees(analysed: BestAnalyses) -> list[list[str]]:
    """The first words with an affix and a root that the stem shows: word, gold segments, and the best tree in one line."""
    shown = [w for w in analysed.gold if w.has_affix and strong_roots(w, 3) and w.word in analysed.best]
    return [[w.word, str(w.segmentations[0]), analysed.best[w.word].tree.discbracket()] for w in shown[:_TREES]]


def root_examples(analysed: BestAnalyses, ranking: Mapping[str, float]) -> list[dict[str, Any]]:
    """The most probable roots, each with words that are analysed rightly, cut wrongly, or given this root wrongly."""
    ranked = sorted(ranking.items(), key=lambda item: (-item[1], item[0]))[:_ROOTS]
    truth = gold_lexicon(analysed.gold, "root3")
    rows = {root: _empty(root, probability, root in truth) for root, probability in ranked}
    for word in analysed.gold:
        analysis = analysed.best.get(word.word)
        for root in analysis.roots(3) if analysis else ():
            if root in rows and analysis is not None:
                examples = rows[root][_kind(word, analysis, root)]
                if len(examples) < _EXAMPLES:
                    examples.append("|".join(part.text for part in analysis.segmentation.contiguous()))
    return list(rows.values())


def _empty(root: str, probability: float, is_root: bool) -> dict[str, Any]:
    lists: dict[str, list[str]] = {"right": [], "wrong_borders": [], "wrong_root": []}
    return {"root": root, "probability": probability, "is_root": is_root, **lists}


def _kind(word: GoldWord, analysis: Analysis, root: str) -> str:
    if root not in word.roots:
        return "wrong_root"
    is_right = borders(analysis.segmentation) in {borders(s) for s in word.segmentations}
    return "right" if is_right else "wrong_borders"
