"""Chapter 4: log-bilinear models with morpheme vectors, on the first million tokens of six languages."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation import Evaluation, HeldOutText, evaluate
from binyan.evaluation.breakdown import Grouping, grouping
from binyan.experiments import eltec, lbl_report, lbl_similarity
from binyan.experiments.lbl_models import TRAINING, map_method, model, trained
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Measure, Outcome, Section, Workshop
from binyan.language_model import LanguageModel
from binyan.text import Corpus

TITLE = "Chapter 4: rich morphology in distributed language models"

# Further penalties lambda, of which tables take the one with the lowest development perplexity; in German and Czech only, since
# each is a training run more.
OTHER_PENALTIES = {"clbl": (15.0, 60.0), "clbl++": (30.0, 90.0)}
CLASSED = ("clbl", "clbl+c", "clbl+o", "clbl++", "nclbl", "nclbl++")
CLASSLESS = ("lbl", "lbl+c", "lbl+o", "lbl++")
HPYLM = {"kind": "hpylm", "order": 4, "iterations": 70, "burn_in": 50, "samples": 10, "seed": 1}
SIZES = {"250k": 250_000, "500k": 500_000, "2m": 2_000_000, "3m": 3_000_000}  # of Czech, which has the most text


def experiments() -> list[Experiment]:
    """The table of languages and variants first; then singleton pruning, models without classes, sizes, word similarity."""
    listed = []
    for language in eltec.LANGUAGES:
        data, where = eltec.settings(language), f"lbl/eltec-{language}/1m"
        listed.append(_kneser_ney(where, data))
        tuned = {"kind": "mkn", "order": 4, "discounts": "development"}
        listed.append(Experiment(f"{where}/mkn-tuned", data, tuned, "perplexity"))
        listed.append(Experiment(f"{where}/hpylm", data, HPYLM, "perplexity"))
        listed += [_log_bilinear(where, data, name) for name in CLASSED]
    for language in ("de", "cs"):
        for kappa in (0.05, 1.0):
            data, where = eltec.settings(language, kappa=kappa), f"lbl/eltec-{language}/1m-kappa-{kappa:g}"
            listed += _three(where, data)
        data, where = eltec.settings(language), f"lbl/eltec-{language}/1m"
        listed += [_log_bilinear(where, data, n, l2=l2) for n, others in OTHER_PENALTIES.items() for l2 in others]
        listed += [_log_bilinear(where, data, name) for name in CLASSLESS]
    for size, tokens in SIZES.items():
        data, where = eltec.settings("cs", tokens=tokens), f"lbl/eltec-cs/{size}"
        listed += _three(where, data, batch=TRAINING["batch"] * tokens // 1_000_000)  # as many steps for any size
    return listed + lbl_similarity.experiments()


def _kneser_ney(where: str, data: dict[str, Any]) -> Experiment:
    return Experiment(f"{where}/mkn", data, {"kind": "mkn", "order": 4}, "perplexity")


def _log_bilinear(where: str, data: dict[str, Any], name: str, **changed: Any) -> Experiment:
    wanted = model(name) | changed
    return Experiment(f"{where}/{name}/l2-{wanted['l2']:g}", data, wanted, "perplexity")


def _three(where: str, data: dict[str, Any], **changed: Any) -> list[Experiment]:
    return [_kneser_ney(where, data), *(_log_bilinear(where, data, name, **changed) for name in ("clbl", "clbl++"))]


def sections(results: Results, thesis: Mapping[str, Any]) -> list[Section]:
    """The report."""
    return lbl_report.sections(results, thesis, experiments())


def measure_perplexity(experiment: Experiment, workshop: Workshop) -> Outcome:
    """Train, stop by the development novels, and score those, the second development text and the test novels.

    Tagged news (PUD) is scored too, for the breakdown by part of speech.
    """
    started = time.process_time()
    data, wanted = experiment.data, experiment.model
    corpus = eltec.training_corpus(data, workshop)
    texts = {part: eltec.held_out(data, part, workshop) for part in ("dev", "second", "test")}
    lm, figures = _trained(experiment, workshop, corpus, texts["dev"])
    evaluations = {part: evaluate(lm, text) for part, text in texts.items() if text.sentences}
    arrays: dict[str, NDArray[np.generic]] = {f"log_prob.{part}": e.scores.log_prob for part, e in evaluations.items()}
    if wanted["kind"] in lbl_report.MIXED:
        for part, evaluation in evaluations.items():
            arrays[f"is_unknown.{part}"] = evaluation.scores.unknown.astype(bool)
            parts = lm.weigh_sentences(texts[part].sentences)
            arrays |= {f"{name}.{part}": getattr(parts, name).astype(kept) for name, kept in lbl_report.PARTS.items()}
    figures = {
        **evaluations["test"].to_dict(),
        **{f"perplexity_{part}": e.perplexity for part, e in evaluations.items()},
        "training_tokens": len(corpus.words),
        "vocabulary_size": len(corpus.vocabulary),
        "by_frequency": _sums(evaluations["test"], grouping("frequency", evaluations["test"], lm)),
        **figures,
    }
    if (tagged := eltec.tagged(data, workshop)) is not None:
        news = evaluate(lm, tagged)
        figures["by_pos"] = _sums(news, grouping("pos", news))
    figures["cpu_seconds"] = time.process_time() - started
    return Outcome(figures, str(evaluations["test"].signature), arrays)


MEASURES: Mapping[str, Measure] = {"perplexity": measure_perplexity, "similarity": lbl_similarity.measure}


def _trained(
    experiment: Experiment, workshop: Workshop, corpus: Corpus, development: HeldOutText
) -> tuple[LanguageModel, dict[str, Any]]:
    wanted = experiment.model
    if wanted["kind"] == "mkn":
        from binyan.ngram.kneser_ney import KneserNey

        fitted_to = development.sentences if "discounts" in wanted else None
        return KneserNey.train(corpus, wanted["order"], development=fitted_to, progress=workshop.progress), {}
    if wanted["kind"] == "hpylm":
        from binyan.ngram.chains import Schedule
        from binyan.ngram.hpylm import HPYLM

        schedule = Schedule(**{k: v for k, v in wanted.items() if k not in ("kind", "order")})
        return HPYLM.train(corpus, wanted["order"], schedule, progress=workshop.progress), {}
    method = map_method(wanted)
    table = eltec.word_map(experiment.data, method, workshop) if method else None
    return trained(experiment, workshop, corpus, development.sentences, table)


def _sums(evaluation: Evaluation, groups: Grouping) -> dict[str, list[float]]:
    """Of each group of events, how many there are and the sum of their log-probability."""
    log_prob = evaluation.scores.log_prob
    return {label[0]: [int(mask.sum()), float(log_prob[mask].sum())] for label, mask in groups}
