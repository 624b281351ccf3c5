"""Chapter 5: adaptor grammars on word lists of Arabic and Hebrew."""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from binyan.evaluation.gold import GoldWord, read_gold
from binyan.evaluation.lexicon import gold_lexicon, roc_curve
from binyan.evaluation.morphology import BestAnalyses, sampled_lexicon
from binyan.evaluation.roots import GUESSERS, guesser_accuracy, strong_roots
from binyan.evaluation.segmentation import score_segmentation
from binyan.experiments import adaptor_report
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Measure, Outcome, Section, Workshop
from binyan.signature import digest

TITLE = "Chapter 5: morphology learnt from word lists"

# name in the thesis -> file, whether accents are dropped, whether only words with an affix are kept
DATA: Mapping[str, tuple[str, bool, bool]] = {
    "HEB": ("words/hebrew_childes/HEB_hagar.tsv.xz", True, True),
    "BW": ("words/arabic_bama/BW.tsv.xz", False, False),
    "BW'": ("words/arabic_bama/BWv.tsv.xz", False, False),
    "QU'": ("words/arabic_quran/QUv.tsv.xz", False, False),
}
SINGLE = ("concat", "tpl", "tpl3ch", "tpl+t4", "tplr4")
# The same with templatic characters that never stand side by side: what py-srcag parses and the thesis's figures show.
APART = ("tpl-apart", "tpl3ch-apart", "tpl+t4-apart", "tplr4-apart")
MULTIPLE = ("concat", "mconcat", "mconcat-hier", "mtpl", "mtpl3ch", "mtpl+t4")
OWN: Mapping[str, tuple[str, ...]] = {
    "HEB": ("root-template", "root-template-vocalised"),
    "BW": ("root-template",),
    "BW'": ("root-template-vocalised",),
    "QU'": ("root-template-vocalised", "root-template-clitics"),
}
# The thesis's grammars once more with cached trees resampled, which the thesis did not do.
RELABELLED: Mapping[str, tuple[str, ...]] = {
    "HEB": ("tpl", "tplr4"),
    "BW": ("tpl", "tplr4"),
    "BW'": ("tpl", "tplr4"),
    "QU'": ("mtpl+t4",),
}
# words -> sweeps and burn-in; the thesis had all words, 1000 and 900
PROTOCOLS: Mapping[str, tuple[int | None, int, int]] = {"5k": (5_000, 200, 150), "all": (None, 1_000, 900)}
# Our own grammars were chosen by the gold analyses of these samples; what they do on other words is scored apart.
CHOSEN_ON = 5_000


def experiments() -> list[Experiment]:
    """Small lists first, then whole ones with the thesis's protocol."""
    found = []
    for size in PROTOCOLS:
        for name in DATA:
            data = _data(name, size)
            found.append(
                Experiment(f"adaptor/{name}/{size}/morfessor", data, {"kind": "morfessor", "seed": 1}, "morfessor")
            )
            found.append(Experiment(f"adaptor/{name}/{size}/guessers", data, {"kind": "guessers"}, "guessers"))
            _, sweeps, burn_in = PROTOCOLS[size]
            model = {"kind": "adaptor", "sweeps": sweeps, "burn_in": burn_in, "seed": 1, "initialisation": "batch"}
            for grammar in MULTIPLE if name == "QU'" else (*SINGLE, *APART):
                found.append(_experiment(name, size, grammar, {**model, "grammar": grammar}))
            for grammar in RELABELLED[name]:
                settings = {**model, "grammar": grammar, "relabel": -1}
                found.append(_experiment(name, size, f"{grammar}-relabelled", settings))
            for grammar in OWN[name]:
                found.append(_experiment(name, size, grammar, {**model, "grammar": grammar, "relabel": -1}))
    return found


def _experiment(data: str, size: str, title: str, model: Mapping[str, Any]) -> Experiment:
    return Experiment(f"adaptor/{data}/{size}/{title}", _data(data, size), model, "adaptor")


def sections(results: Results, thesis: Mapping[str, Any]) -> list[Section]:
    """The report."""
    return adaptor_report.sections(results, thesis, experiments())


def _data(name: str, size: str) -> dict[str, Any]:
    path, accents, affixed = DATA[name]
    words = PROTOCOLS[size][0]
    return {"gold": path, "without_accents": accents, "only_affixed": affixed, "words": words, "order": "digest"}


def gold_words(data: Mapping[str, Any], workshop: Workshop) -> list[GoldWord]:
    """The gold words of an experiment; a part of them is the same part every time."""
    rewrite = without_macrons if data["without_accents"] else str
    words = read_gold(workshop.source(data["gold"]), rewrite)
    if data["only_affixed"]:
        words = [word for word in words if word.has_affix]
    return words if data["words"] is None else _sample(words, data["words"])


def _sample(words: Sequence[GoldWord], size: int) -> list[GoldWord]:
    return sorted(words, key=lambda word: digest(word.word.encode()))[:size]


def unseen(gold: Sequence[GoldWord]) -> list[GoldWord]:
    """The words that no grammar was chosen on."""
    seen = {word.word for word in _sample(gold, CHOSEN_ON)}
    return [word for word in gold if word.word not in seen]


def without_macrons(text: str) -> str:
    """Stressed vowels written as unstressed ones (thesis, section 5.7.1.3)."""
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if char != "\u0304")
    return unicodedata.normalize("NFC", bare)


def measure_adaptor(experiment: Experiment, workshop: Workshop) -> Outcome:
    """Learn, then compare the analyses with the gold standard in every way of the chapter."""
    from binyan.grammar import Grammar
    from binyan.model import load
    from binyan.morphology import Morphology, MorphologySettings

    gold = gold_words(experiment.data, workshop)
    model = experiment.model
    settings = MorphologySettings(
        sweeps=model["sweeps"],
        burn_in=model["burn_in"],
        chains=1,
        seed=model["seed"],
        initialisation=model["initialisation"],
        relabel=model.get("relabel", 0),
    )
    checkpoint = workshop.checkpoint(experiment)
    started = time.process_time()
    grammar = Grammar.load(model["grammar"])
    # A grammar may have changed under its name.
    resume = checkpoint.exists() and load(checkpoint).grammar.same_rules(grammar)
    morphology = Morphology(grammar, settings=settings, unit="codepoint").fit(
        [word.word for word in gold],
        checkpoint=checkpoint,
        checkpoint_seconds=600.0,
        resume=resume,
        progress=workshop.progress,
    )
    seconds = time.process_time() - started
    analysed = BestAnalyses.of(morphology, gold)
    rankings = {c: sampled_lexicon(morphology, [w.word for w in gold], c) for c in ("stem", "root3")}
    scores = figures_of(analysed, rankings)
    figures = {
        "f1": scores["segmentation"]["f1"],
        "root_accuracy": scores["roots_3_A"]["accuracy"],
        **_statistics(gold),
        **scores,
        "unparsable": len(morphology.unparsable),
        "log_joint": morphology.trace[0][-1, 0],
        "words_per_second": len(gold) * settings.sweeps / max(seconds, 1e-9),
        "top_roots": _top_roots(rankings["root3"], gold),
    }
    curves = {f"roc.{c}": np.array(roc_curve(r, gold_lexicon(gold, c))) for c, r in rankings.items()}
    trace = {"log_joint": morphology.trace[0][:, 0]}
    return Outcome(figures, str(morphology.signature().extended(gold=_digest(gold))), {**curves, **trace})


def figures_of(analysed: BestAnalyses, rankings: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """All scores, and those of the words that no grammar was chosen on."""
    figures: dict[str, Any] = {
        "segmentation": analysed.segmentation().to_dict(),
        "segmentation_coarse": analysed.segmentation("coarse").to_dict(),
        "segmentation_of_3_or_more": analysed.segmentation(least_morphemes=3).to_dict(),
        "morphemes_per_word": dict(Counter(str(len(pieces)) for pieces in analysed.pieces.values())),
        "lexicon": {c: analysed.lexicon_score(c).to_dict() for c in ("pre", "stem", "suf")},
        "root_lexicon": analysed.lexicon_score("root3", rankings["root3"]).to_dict(),
        "stem_auc": analysed.lexicon_score("stem", rankings["stem"]).to_dict()["auc"],
    }
    for length in (3, 4):
        for method in ("A", "B"):
            score = analysed.roots(length, method)
            figures[f"roots_{length}_{method}"] = score.to_dict()
    figures["roots_3_A_not_stems"] = analysed.roots(3, "A", roots_that_are_stems=False).to_dict()
    if others := unseen(analysed.gold):
        part = BestAnalyses(others, analysed.best)
        figures["unseen"] = {
            "segmentation": part.segmentation().to_dict(),
            **{f"roots_{k}": part.roots(k).to_dict() for k in (3, 4)},
        }
    return figures


def measure_morfessor(experiment: Experiment, workshop: Workshop) -> Outcome:
    """Morfessor on the same words."""
    from binyan.evaluation.morfessor_baseline import morfessor_segmentations

    gold = gold_words(experiment.data, workshop)
    found = morfessor_segmentations((word.word for word in gold), experiment.model["seed"])
    score = score_segmentation(found, gold)
    figures = {
        "f1": score.f1,
        **_statistics(gold),
        "segmentation": score.to_dict(),
        "morphemes_per_word": dict(Counter(str(len(pieces)) for pieces in found.values())),
    }
    if others := unseen(gold):
        figures["unseen"] = {"segmentation": score_segmentation(found, others).to_dict()}
    return Outcome(figures, str(experiment.signature.extended(gold=_digest(gold))))


def measure_guessers(experiment: Experiment, workshop: Workshop) -> Outcome:
    """The random guessers of roots, and the statistics of the data."""
    gold = gold_words(experiment.data, workshop)
    accuracies = {
        f"{name} {length}": guesser_accuracy(gold, length, name)
        for length in (3, 4)
        for name in GUESSERS
        if any(strong_roots(word, length) for word in gold)
    }
    figures = {**_statistics(gold), "accuracy": accuracies}
    return Outcome(figures, str(experiment.signature.extended(gold=_digest(gold))))


MEASURES: Mapping[str, Measure] = {
    "adaptor": measure_adaptor,
    "morfessor": measure_morfessor,
    "guessers": measure_guessers,
}


def _statistics(gold: Sequence[GoldWord]) -> dict[str, Any]:
    return {
        "words": len(gold),
        "stems": len({word.stem for word in gold}),
        "roots": len({root for word in gold for k in (3, 4) for root in strong_roots(word, k)}),
        "mean_morphemes": float(np.mean([len(word.segmentations[0]) for word in gold])),
        "mean_characters": float(np.mean([len(word.word) for word in gold])),
        "gold_morphemes_per_word": dict(Counter(str(len(word.segmentations[0])) for word in gold)),
        "evaluated_3": sum(bool(strong_roots(word, 3)) for word in gold),
        "evaluated_4": sum(bool(strong_roots(word, 4)) for word in gold),
    }


def _top_roots(ranking: Mapping[str, float], gold: Sequence[GoldWord], most: int = 10) -> list[list[Any]]:
    truth = gold_lexicon(gold, "root3")
    ranked = sorted(ranking.items(), key=lambda item: (-item[1], item[0]))[:most]
    return [[root, probability, root in truth] for root, probability in ranked]


def _digest(gold: Sequence[GoldWord]) -> str:
    rows = (
        (word.word, tuple(tuple((part.text, part.label) for part in s) for s in word.segmentations), word.roots)
        for word in gold
    )
    return digest("\n".join("\t".join(map(str, row)) for row in rows).encode())
