"""Evaluation: perplexity and its breakdowns, differences between models, sampler traces; as tables and drawings."""

from binyan.evaluation.breakdown import GROUPINGS, Grouping, breakdown, change, grouping
from binyan.evaluation.differences import largest_differences
from binyan.evaluation.perplexity import Evaluation, HeldOutText, by_order, by_training_size, evaluate, summary
from binyan.evaluation.table import Chart, Column, Table
from binyan.evaluation.traces import trace

__all__ = [
    "GROUPINGS",
    "Chart",
    "Column",
    "Evaluation",
    "Grouping",
    "HeldOutText",
    "Table",
    "breakdown",
    "by_order",
    "by_training_size",
    "change",
    "evaluate",
    "grouping",
    "largest_differences",
    "summary",
    "trace",
]
