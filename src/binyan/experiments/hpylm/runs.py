"""The experiments of chapter 3, and how they are measured."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

from binyan.evaluation import Evaluation, HeldOutText, evaluate
from binyan.experiments.experiment import Measure, Outcome, SettingValues, Workspace
from binyan.experiments.hpylm import analyses, europarl, models
from binyan.experiments.hpylm.models import MODELS
from binyan.experiments.hpylm.ngram_experiment import BASELINE, NGramExperiment
from binyan.experiments.hpylm.sample_average import ChainAverages, SampleAverage
from binyan.experiments.results import Results
from binyan.progress import Progress, ProgressOption
from binyan.segmentation import Linking
from binyan.text import Corpus

# Where a sweep takes long; the report draws the traces. On a million tokens the perplexity of test text is the same to 0.2 per cent after 30
# and after 300 sweeps.
FEWER_SWEEPS: Mapping[str, Mapping[str, int]] = {
    **{size: {"burn_in": 30, "iterations": 40, "samples": 10} for size in ("3m", "10m", "33m")},
    europarl.MAIN_SIZE: {"burn_in": 50, "iterations": 60, "samples": 10},
}
# Chains differ more than the samples of one chain. On a million tokens, the perplexity of a sample is the same to 0.1 per cent after ten
# sweeps and after thirty.
CHAINS = {"burn_in": 10, "iterations": 20, "samples": 10, "chains": 10}
ANALYSED_ORDER = 4  # of the analyses, and of the average over chains


def experiments() -> list[NGramExperiment]:
    """The splitter, then the scaling experiment, small texts first, then the main tables and analyses of their scores."""
    listed = [analyses.splitter_experiment()]
    for size in (*europarl.SCALING_SIZES, europarl.MAIN_SIZE):
        data, gold = europarl.settings(size), {"gold": "+".join(europarl.GOLD)}
        listed.append(NGramExperiment(size=size, label="components", data=data, model=gold, measure="components"))
        main = size == europarl.MAIN_SIZE
        for order, label in product((2, 3, 4) if main else (4,), MODELS):
            fewer = FEWER_SWEEPS.get(size, {}) if label != BASELINE else {}
            model = {**MODELS[label], **fewer, "order": order}
            listed.append(NGramExperiment(size=size, label=label, data=data, model=model, measure="perplexity"))
        if main:
            model = {**MODELS["hpylm"], **CHAINS, "order": ANALYSED_ORDER}
            listed.append(
                NGramExperiment(size=size, label="hpylm-chains", data=data, model=model, measure="perplexity")
            )
        if main or size == "1m":
            listed += [_of_test_text(size, measure) for measure in ("composition", *(("subsets",) if main else ()))]
    return listed


def _of_test_text(size: str, measure: str) -> NGramExperiment:
    model = {"order": ANALYSED_ORDER, "gold": "+".join(europarl.GOLD)}
    return NGramExperiment(size=size, label=measure, data=europarl.settings(size), model=model, measure=measure)


def measure_perplexity(experiment: NGramExperiment, workspace: Workspace) -> Outcome:
    """Train, then score the test text and a text that is further from training.

    Scores of the test text are kept, so that breakdowns and comparisons need no new run.
    """
    corpus = europarl.training_corpus(experiment.data, workspace)
    news = europarl.other_text(workspace)
    texts = {"test": europarl.held_out_text(workspace), **({} if news is None else {"news": news})}
    measure = _kneser_ney if experiment.model["kind"] == "mkn" else _sampled
    evaluations, figures = measure(experiment, workspace, corpus, texts)
    variants = evaluations["test"]
    main = next(iter(variants.values()))
    figures = {
        **main.to_dict(),
        "training_tokens": len(corpus.words),
        "vocabulary": corpus.vocabulary.digest,
        "vocabulary_size": len(corpus.vocabulary),
        **figures,
        "variants": {name: e.to_dict() for name, e in variants.items()},
    }
    if "news" in evaluations:
        figures["news"] = {name: e.to_dict() for name, e in evaluations["news"].items()}
    arrays = {f"log_prob.{name}": e.scores.log_prob for name, e in variants.items()}
    return Outcome(
        figures, str(main.signature), {"matched": main.scores.matched, "unknown": main.scores.unknown, **arrays}
    )


def measure_components(experiment: NGramExperiment, workspace: Workspace) -> Outcome:
    """How many compounds the vocabulary has, and how many components under each handling of linking elements."""
    vocabulary = europarl.training_corpus(experiment.data, workspace).vocabulary
    table = europarl.segmentation(vocabulary, workspace)
    rows = [table.of(word) for word in vocabulary.own_words]
    compounds = [row for row in rows if not row.is_simplex]
    handled: tuple[Linking, ...] = ("delete", "left", "right")
    figures = {
        "words": len(rows),
        "compounds": len(compounds),
        "compounds_by_parts": dict(sorted(Counter(len(row) for row in compounds).items())),
        "components": {
            linking: {
                "all": len({part for row in rows for part in row.components(linking)}),
                "compounds": len({part for row in compounds for part in row.components(linking)}),
            }
            for linking in handled
        },
    }
    signature = experiment.signature.extended(vocabulary=vocabulary.digest, segmentation=table.digest)
    return Outcome(figures, str(signature))


def measure_subsets(experiment: NGramExperiment, workspace: Workspace) -> Outcome:
    """Subsets of the test text and the words that models differ on most, from what the models of this size scored."""
    stored = Results(workspace.results)
    inputs = [e for e in experiments() if e.measure == "perplexity" and (e.size, e.order) == _place(experiment)]
    results = [r for e in inputs if (r := stored.get(e)) is not None]
    return analyses.subset_outcome(experiment, results, workspace)


def _place(experiment: NGramExperiment) -> tuple[str, int | None]:
    return experiment.size, experiment.order


MEASURES: Mapping[str, Measure] = {
    "perplexity": measure_perplexity,
    "components": measure_components,
    "composition": analyses.measure_composition,
    "splitter": analyses.measure_splitter,
    "subsets": measure_subsets,
}

# Evaluations by text and variant of the model.
Evaluations = dict[str, dict[str, Evaluation]]
Texts = Mapping[str, HeldOutText]
Measured = tuple[Evaluations, dict[str, Any]]


def _kneser_ney(experiment: NGramExperiment, workspace: Workspace, corpus: Corpus, texts: Texts) -> Measured:
    model = models.train(experiment.model, corpus, workspace, progress=workspace.progress)
    return {name: {"plain": evaluate(model, text)} for name, text in texts.items()}, {}


def _sampled(experiment: NGramExperiment, workspace: Workspace, corpus: Corpus, texts: Texts) -> Measured:
    """The last sample alone and all samples averaged; compound models also renormalised over the vocabulary."""
    schedule = models.schedule(experiment.model)
    chains = experiment.model.get("chains", 1)
    ticks: list[float] = []
    with Progress("sweeps", chains * schedule.sweeps, workspace.progress) as bar:

        def after_sweep(done: int, total: int | None, figures: dict[str, float]) -> None:
            ticks.append(time.process_time())
            bar.advance(1, **figures)

        evaluate_samples = _compound_samples if experiment.is_compound else _chains if chains > 1 else _word_samples
        evaluations, of_model = evaluate_samples(experiment, workspace, corpus, texts, after_sweep)
    sweeps = [after - before for before, after in pairwise(ticks)]
    figures = {
        **{f"perplexity_{name.replace(' ', '_')}": e.perplexity for name, e in evaluations["test"].items()},
        "sweeps": schedule.sweeps,
        "seconds_per_sweep": statistics.median(sweeps) if sweeps else None,
        **of_model,
    }
    return evaluations, figures


def _of_model(model: Any) -> dict[str, Any]:
    """What a sampled model says of itself: hyperparameters, and the log-likelihood after each sweep, by chain."""
    return {"hyperparameters": model.hyperparameters, "trace": [chain[:, 0].tolist() for chain in model.trace]}


def _word_samples(
    experiment: NGramExperiment, workspace: Workspace, corpus: Corpus, texts: Texts, after_sweep: ProgressOption
) -> Measured:
    model = models.train(experiment.model, corpus, workspace, workspace.checkpoint(experiment), after_sweep)
    variants = {"one sample": model.one_sample(), "averaged": model}
    evaluations = {name: {v: evaluate(lm, text) for v, lm in variants.items()} for name, text in texts.items()}
    return evaluations, _of_model(model)


def _chains(
    experiment: NGramExperiment, workspace: Workspace, corpus: Corpus, texts: Texts, after_sweep: ProgressOption
) -> Measured:
    """Chains one after the other, each from a seed of its own: those of a large text do not fit into memory together.

    The checkpoint has what all chains before the last gave.
    """
    checkpoint, last = workspace.checkpoint(experiment), experiment.model["chains"] - 1
    averages = ChainAverages.read(checkpoint, texts)
    for chain in range(averages.chains, last + 1):
        settings = {**experiment.model, "seed": experiment.model["seed"] + chain}
        evaluations, figures = _chain(settings, workspace, corpus, texts, after_sweep)
        averages.add(evaluations, *figures["trace"])
        if chain < last:
            averages.write(checkpoint)
    return averages.evaluations(experiment.model["seed"]), {**figures, "trace": averages.traces}


def _chain(
    settings: SettingValues, workspace: Workspace, corpus: Corpus, texts: Texts, after_sweep: ProgressOption
) -> tuple[dict[str, Evaluation], dict[str, Any]]:
    """What one chain gives to each text; its model is gone before the next one is trained."""
    model = models.train(settings, corpus, workspace, progress=after_sweep)
    return {name: evaluate(model, text) for name, text in texts.items()}, _of_model(model)


def _compound_samples(
    experiment: NGramExperiment, workspace: Workspace, corpus: Corpus, texts: Texts, after_sweep: ProgressOption
) -> Measured:
    """Samples of compound models are scored one by one: those of a large text do not fit into memory together."""
    kept = models.schedule(experiment.model).kept_sweeps
    first = {**experiment.model, "burn_in": kept[0] - 1, "iterations": kept[0], "samples": 1}
    whole = models.train(first, corpus, workspace, workspace.checkpoint(experiment), after_sweep)
    averages = {name: {"": SampleAverage(), " renormalised": SampleAverage()} for name in texts}
    sample = whole
    for before, sweep in pairwise((kept[0], *kept)):
        sample = whole.next_sample(sweep - before) if sweep > before else whole
        for name, text in texts.items():
            for how, average in averages[name].items():
                average.add(evaluate(sample.closed() if how else sample, text, closed=True))
    evaluations = {
        name: {f"{kind}{how}": e for how, average in by_how.items() for kind, e in average.evaluations.items()}
        for name, by_how in averages.items()
    }
    return evaluations, {**_of_model(sample), "shortening": sample.shortening}
