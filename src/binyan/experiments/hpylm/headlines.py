"""Which figures of chapter 3's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from dataclasses import replace

from binyan.experiments.headline import Change, Headline, Keys
from binyan.experiments.hpylm.europarl import MAIN_SIZE
from binyan.experiments.hpylm.ngram_experiment import BASELINE, NGramExperiment

# label -> row of the thesis's table of perplexities by order
_BY_ORDER = {"mkn": "MKN", "hpylm": "HPYLM", "hpylm+c-right": "HPYLM+c"}
# label, variant -> row of the thesis's table of perplexities of 4-gram models
_OF_FOUR_GRAMS = {
    ("hpylm+c-right", "one sample renormalised"): "HPYLM+c ling renormalised",
    ("hpylm+c-left", "one sample"): "HPYLM+c inv",
}

_ANALYSES = {
    "splitter": [
        Headline("boundaries of compounds, F", ("f1",)),
        Headline("… linking elements merged left, F", ("f1_merged_left",), ("hpylm", "data", "splitter_f_percent")),
    ],
    "composition": [
        Headline("tokens of the test text", ("tokens",)),
        Headline("compounds among them, %", ("compounds_percent",)),
    ],
    "subsets": [
        Headline("tokens compared", ("tokens",)),
        *(
            Headline(
                f"cross-entropy at hit length 1, {what}, %",
                ("change_at_hit_length_1", word),
                ("hpylm", "cross_entropy_change_at_hit_length_1", what.replace("-", "_")),
            )
            for word, what in (("compound", "compounds"), ("other", "non-compounds"))
        ),
    ],
}


def headlines(experiment: NGramExperiment) -> list[Headline]:
    """Numbers of components, or perplexities."""
    if experiment.measure == "components":
        return [
            Headline(f"components, links {what}", ("components", key, "all"))
            for what, key in (("deleted", "delete"), ("merged left", "left"))
        ]
    if experiment.measure in _ANALYSES:
        return _ANALYSES[experiment.measure]
    if experiment.label == BASELINE:
        return [
            Headline("perplexity", ("perplexity",)),
            Headline("perplexity on news", ("news", "plain", "perplexity")),
        ]
    variants = ["averaged"] if experiment.model.get("chains") else ["one sample", "averaged"]
    if experiment.is_compound:
        variants = ["one sample", "one sample renormalised", "averaged renormalised"]
    return [
        headline
        for variant in variants
        if (change := _change(experiment, variant))
        for headline in (
            Headline(f"perplexity, {variant}", ("variants", variant, "perplexity"), change=change),
            Headline(
                f"perplexity on news, {variant}",
                ("news", variant, "perplexity"),
                change=replace(change, ours=("news", "plain", "perplexity")),
            ),
        )
    ]


def _change(experiment: NGramExperiment, variant: str) -> Change:
    """The thesis's tables are of 59 million tokens: only our largest texts are compared with them."""
    thesis = _rows(experiment, variant) if experiment.size == MAIN_SIZE else None
    return Change(experiment.baseline, ("perplexity",), thesis)


def _rows(experiment: NGramExperiment, variant: str) -> tuple[Keys, Keys] | None:
    if experiment.order == 4 and (experiment.label, variant) in _OF_FOUR_GRAMS:
        table, row = ("hpylm", "perplexity"), _OF_FOUR_GRAMS[experiment.label, variant]
        return (*table, row), (*table, "MKN")
    if variant == "one sample" and experiment.label in _BY_ORDER:
        table, order = ("hpylm", "perplexity_by_order"), str(experiment.order)
        return (*table, _BY_ORDER[experiment.label], order), (*table, "MKN", order)
    return None
