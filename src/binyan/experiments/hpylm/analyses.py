"""Chapter 3's analyses: the splitter, what the test text consists of, and how models differ on parts of it."""

from __future__ import annotations

from collections.abc import Sequence

from binyan import KneserNey
from binyan.errors import InputError
from binyan.evaluation import evaluate
from binyan.evaluation.breakdown import by_compound, by_hit_length, cross
from binyan.evaluation.compounds import evaluate_splitter
from binyan.experiments.experiment import Outcome, Workspace
from binyan.experiments.hpylm import europarl, scored, subset_tables
from binyan.experiments.hpylm.ngram_experiment import NGramExperiment
from binyan.experiments.results import Result
from binyan.segmentation import SegmentationTable


def splitter_experiment() -> NGramExperiment:
    """How well the splitter of all compound models finds the parts of compounds that it has not seen."""
    return NGramExperiment(
        dataset="compounds",
        size="gecodb-dev",
        label="splitter",
        data={"text": europarl.FOLDER, "gold": "+".join(europarl.GOLD), "test": europarl.NOT_GOLD},
        model={"kind": "log-linear", "recursive": True},
        measure="splitter",
    )


def measure_splitter(experiment: NGramExperiment, workspace: Workspace) -> Outcome:
    """Precision, recall and F of boundaries in gold compounds that were kept out of training, in per cent."""
    from binyan.segmentation.compound_splitter import CompoundSplitter

    path, signature = europarl.splitter(workspace)
    gold = workspace.source(f"compounds/{experiment.data['test']}")
    score = evaluate_splitter(CompoundSplitter.load(path), gold)
    figures = {
        "words": score.words,
        "precision": 100 * score.precision,
        "recall": 100 * score.recall,
        "f1": 100 * score.f1,
        "f1_merged_left": 100 * score.f1_merged_left,
        "correct_words": 100 * score.correct_words / score.words,
        "errors": [list(error) for error in score.errors[:20]],
    }
    return Outcome(figures, f"{signature}|{score.signature}")


def measure_composition(experiment: NGramExperiment, workspace: Workspace) -> Outcome:
    """How many tokens of the test text are compounds, and of which length the longest n-gram of the training text is."""
    corpus = europarl.training_corpus(experiment.data, workspace)
    text = europarl.held_out_text(workspace)
    order = experiment.model["order"]
    scores = evaluate(KneserNey(order).fit(corpus, progress=workspace.progress), text)
    table = europarl.segmentation(corpus.vocabulary, workspace)
    groups = cross(by_hit_length(scores), by_compound(scores, lambda word: len(table.of(word))))
    counts = {"compound": dict.fromkeys(map(str, range(1, order + 1)), 0)}
    counts["other"] = dict(counts["compound"])
    for (length, kind), mask in groups:
        counts[kind][length] = int(mask.sum())
    figures = {
        "tokens": scores.scores.tokens,
        "unknown": int(scores.scores.unknown.sum()),
        "compounds": sum(counts["compound"].values()),
        "compounds_percent": 100 * sum(counts["compound"].values()) / scores.scores.tokens,
        "by_hit_length": counts,
    }
    return Outcome(figures, str(scores.signature.extended(segmentation=table.digest)))


def subset_outcome(experiment: NGramExperiment, results: Sequence[Result], workspace: Workspace) -> Outcome:
    """The tables of subsets and of the largest differences, from the scores of these results."""
    order = experiment.model["order"]
    text = europarl.held_out_text(workspace)
    models = {e.name: e for result in results for e in scored.evaluations(result, order, text)}
    for name in ("MKN", "HPYLM"):
        if name not in models:
            raise InputError(f"{experiment.name} needs the scores of {name}: run the experiments of its size first")
    path = europarl.segmentation_path(workspace.cache, models["HPYLM"].vocabulary)
    if not path.exists():
        europarl.segmentation(europarl.training_corpus(experiment.data, workspace).vocabulary, workspace)
    table = SegmentationTable.read(path)
    subsets = list(subset_tables.subsets(models, table))
    figures = {
        "tokens": models["MKN"].scores.tokens,
        "change_at_hit_length_1": subset_tables.change_at_hit_length_1(subsets),
        "subsets": [t.to_dict() for t in subsets],
        "differences": [t.to_dict() for t in subset_tables.differences(models, table)],
    }
    return Outcome(figures, str(experiment.signature.extended(segmentation=table.digest)))
