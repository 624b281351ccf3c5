"""Which figures of chapter 3's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from binyan.experiments.headline import Change, Headline, Keys
from binyan.experiments.hpylm.europarl import LARGEST
from binyan.experiments.hpylm.runs import BASELINE, NGramExperiment

# label -> row of the thesis's table of perplexities by order
_BY_ORDER = {"mkn": "MKN", "hpylm": "HPYLM", "hpylm+c-right": "HPYLM+c"}
# label, variant -> row of the thesis's table of perplexities of 4-gram models
_OF_FOUR_GRAMS = {
    ("hpylm+c-right", "one sample renormalised"): "HPYLM+c ling renormalised",
    ("hpylm+c-left", "one sample"): "HPYLM+c inv",
}


def headlines(experiment: NGramExperiment) -> list[Headline]:
    """Numbers of components, or perplexities."""
    if experiment.measure == "components":
        return [
            Headline(f"components, links {what}", ("components", key, "all"))
            for what, key in (("deleted", "delete"), ("merged left", "left"))
        ]
    if experiment.label == BASELINE:
        return [Headline("perplexity", ("perplexity",))]
    variants = ["one sample", "averaged"]
    if experiment.is_compound:
        variants = ["one sample", "one sample renormalised", "averaged renormalised"]
    return [
        Headline(f"perplexity, {variant}", ("variants", variant, "perplexity"), change=_change(experiment, variant))
        for variant in variants
    ]


def _change(experiment: NGramExperiment, variant: str) -> Change:
    """The thesis's tables are of 59 million tokens: only the largest of our texts is compared with them."""
    thesis = _rows(experiment, variant) if experiment.size == LARGEST else None
    return Change(experiment.baseline, ("perplexity",), thesis)


def _rows(experiment: NGramExperiment, variant: str) -> tuple[Keys, Keys] | None:
    if experiment.order == 4 and (experiment.label, variant) in _OF_FOUR_GRAMS:
        table, row = ("hpylm", "perplexity"), _OF_FOUR_GRAMS[experiment.label, variant]
        return (*table, row), (*table, "MKN")
    if variant == "one sample" and experiment.label in _BY_ORDER:
        table, order = ("hpylm", "perplexity_by_order"), str(experiment.order)
        return (*table, _BY_ORDER[experiment.label], order), (*table, "MKN", order)
    return None
