"""Which figures of an experiment stand beside which figures of the thesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from binyan.experiments import adaptor_report, lbl_report, lbl_similarity, translation
from binyan.experiments.results import Result
from binyan.experiments.study import Experiment


@dataclass(frozen=True)
class Headline:
    """A figure of ours by its keys in the result, and the thesis's by its keys in the file of its tables.

    `against` is the name of an experiment whose first headline it is compared with, too: where data differ, such changes are
    what can be compared with the thesis.
    """

    what: str
    ours: tuple[str, ...]
    thesis: tuple[str, ...] = ()
    against: str = ""

    def of(self, result: Result) -> float | None:
        """Our figure."""
        return _number(result.figures, self.ours)

    def beside(self, thesis: Mapping[str, Any]) -> float | None:
        """The thesis's figure, where it has one."""
        return _number(thesis, self.thesis) if self.thesis else None


def headlines(experiment: Experiment) -> Sequence[Headline]:
    """The figures of an experiment that the front page shows: none for a study that names none."""
    of_study = _STUDIES.get(experiment.name.split("/", 1)[0])
    return of_study(experiment) if of_study else ()


def _hpylm(experiment: Experiment) -> list[Headline]:
    folder, model = experiment.name.rsplit("/", 1)
    if model == "components":
        path = ("hpylm", "data", "components")
        return [
            Headline(f"components, links {what}", ("components", key, "all"), (*path, name))
            for what, key, name in (("deleted", "delete", "delete"), ("merged left", "left", "merge_left"))
        ]
    order = folder.rsplit("-", 1)[1]
    if model == "mkn":
        return [Headline("perplexity", ("perplexity",), ("hpylm", "perplexity_by_order", "MKN", order))]
    names = {"hpylm": "HPYLM", "hpylm+c-right": "HPYLM+c", "hpylm+c-left": "HPYLM+c inv"}
    table: tuple[str, ...] = ("hpylm", "perplexity_by_order", names.get(model, ""), order)
    variants = {"one sample": table}
    if "+" in model:
        renormalised = ("hpylm", "perplexity", "HPYLM+c ling renormalised")
        variants["one sample renormalised"] = renormalised if (model, order) == ("hpylm+c-right", "4") else ()
        if (model, order) == ("hpylm+c-left", "4"):
            variants["one sample"] = ("hpylm", "perplexity", "HPYLM+c inv")
    variants["averaged renormalised" if "+" in model else "averaged"] = ()
    return [
        Headline(f"perplexity, {variant}", ("variants", variant, "perplexity"), table, f"{folder}/mkn")
        for variant, table in variants.items()
    ]


def _lbl(experiment: Experiment) -> list[Headline]:
    if experiment.measure == "similarity":
        return _similarity(experiment)
    study, where, setting, model = experiment.name.split("/")[:4]
    language, name = where.removeprefix("eltec-"), lbl_report.NAMES.get(model, model)
    table: tuple[str, ...] = ("lbl", "perplexity_1m", name, language)
    if "kappa-" in setting:
        table = ("lbl", "perplexity_main", f"{name} {float(setting.split('kappa-')[1])}", language)
    against = "" if model == "mkn" else f"{study}/{where}/{setting}/mkn"
    return [Headline("perplexity", ("perplexity",), table, against)]


def _similarity(experiment: Experiment) -> list[Headline]:
    kind = experiment.model["kind"]
    return [
        Headline(f"rho, {pairs}, {how}", ("similarity", how, pairs, "rho"), ("lbl", "word_similarity", name, known_as))
        for vectors, how, name in lbl_report.VECTORS
        for pairs, known_as in lbl_similarity.SETS[experiment.data["language"]].items()
        if vectors == kind
    ]


def _adaptor(experiment: Experiment) -> list[Headline]:
    _, data, _, model = experiment.name.split("/")
    if model == "guessers":
        named = {"uniform 3": "uniform guesser", "doubly constrained 3": "doubly constrained"}
        table = ("adaptor", "root_accuracy_triliteral")
        return [Headline(f"roots, {name}, %", ("accuracy", key), (*table, name, data)) for key, name in named.items()]
    name = adaptor_report.THESIS.get(model.removesuffix("-apart"), model)
    found = [Headline("borders, F1", ("segmentation", "f1"), ("adaptor", "segment_border_f1", name, data))]
    if model not in ("morfessor", "concat", "mconcat", "mconcat-hier"):
        for method in ("A", "B"):
            table = ("adaptor", "root_accuracy_triliteral", f"{method} {name}", data)  # type: ignore[assignment]
            found.append(Headline(f"roots of 3, method {method}, %", (f"roots_3_{method}", "accuracy"), table))
    return found


def _translation(experiment: Experiment) -> list[Headline]:
    model = experiment.name.rsplit("/", 1)[1]
    pair = f"en-{experiment.data['target']}"
    if model in translation.THESIS_NAMES and pair == "en-de" and model != "mkn":
        table: tuple[str, ...] = ("hpylm", "translation", "bleu", translation.THESIS_NAMES[model])
    else:
        table = (
            "lbl",
            "translation",
            {"mkn": "MKN", "mkn+clbl": "+CLBL", "mkn+clbl++": "+CLBL++"}.get(model, ""),
            pair,
        )
    found = [Headline("BLEU", ("bleu_mean",), table)]
    if pair == "en-de" and model in translation.THESIS_NAMES:
        compounds = ("hpylm", "translation", "compound_f", translation.THESIS_NAMES[model])
        found.append(Headline("compounds, F", ("compound_f_score",), compounds))
    return found


_STUDIES: Mapping[str, Callable[[Experiment], Sequence[Headline]]] = {
    "hpylm": _hpylm,
    "lbl": _lbl,
    "adaptor": _adaptor,
    "translation": _translation,
}


def _number(figures: Any, path: Sequence[str]) -> float | None:
    for key in path:
        figures = figures.get(key) if isinstance(figures, Mapping) else None
    return float(figures) if isinstance(figures, (int, float)) and not isinstance(figures, bool) else None
