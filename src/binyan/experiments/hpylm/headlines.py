"""Which figures of chapter 3's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from binyan.experiments.headline import Headline
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
            Headline(f"components, links {what}", ("components", key, "all"), ("hpylm", "data", "components", row))
            for what, key, row in (("deleted", "delete", "delete"), ("merged left", "left", "merge_left"))
        ]
    if experiment.label == BASELINE:
        return [Headline("perplexity", ("perplexity",), _thesis(experiment, "one sample"))]
    variants = ["one sample", "averaged"]
    if experiment.is_compound:
        variants = ["one sample", "one sample renormalised", "averaged renormalised"]
    return [
        Headline(
            f"perplexity, {variant}",
            ("variants", variant, "perplexity"),
            _thesis(experiment, variant),
            experiment.baseline,
        )
        for variant in variants
    ]


def _thesis(experiment: NGramExperiment, variant: str) -> tuple[str, ...]:
    if experiment.order == 4 and (experiment.label, variant) in _OF_FOUR_GRAMS:
        return "hpylm", "perplexity", _OF_FOUR_GRAMS[experiment.label, variant]
    if variant == "one sample" and experiment.label in _BY_ORDER:
        return "hpylm", "perplexity_by_order", _BY_ORDER[experiment.label], str(experiment.order)
    return ()
