"""The variants of chapter 3's models that tables compare."""

from __future__ import annotations

from typing import NamedTuple


class EvaluatedModel(NamedTuple):
    """A variant of a model, its name in the report, and its row among the thesis's 4-gram perplexities."""

    label: str
    variant: str
    title: str
    thesis: str | None = None


MODELS = (
    EvaluatedModel("mkn", "plain", "MKN", "MKN"),
    EvaluatedModel("hpylm", "one sample", "HPYLM", "HPYLM"),
    EvaluatedModel("hpylm", "averaged", "HPYLM averaged"),
    EvaluatedModel("hpylm-chains", "averaged", "HPYLM averaged over ten chains"),
    EvaluatedModel("hpylm+c-right", "one sample", "HPYLM+c", "HPYLM+c ling"),
    EvaluatedModel("hpylm+c-right", "one sample renormalised", "HPYLM+c renormalised", "HPYLM+c ling renormalised"),
    EvaluatedModel("hpylm+c-right", "averaged renormalised", "HPYLM+c averaged renormalised"),
    EvaluatedModel("hpylm+c-left", "one sample", "HPYLM+c left-headed", "HPYLM+c inv"),
    EvaluatedModel("hpylm+c-left", "one sample renormalised", "HPYLM+c left-headed renormalised"),
    EvaluatedModel("hpylm+g", "one sample renormalised", "hpylm+g renormalised"),
    EvaluatedModel("hpylm+g", "averaged renormalised", "hpylm+g averaged renormalised"),
)
