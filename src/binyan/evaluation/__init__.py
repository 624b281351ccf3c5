"""Evaluation: perplexity and its breakdowns, differences between models, sampler traces; as tables and drawings."""

from binyan.evaluation.breakdown import GROUPINGS, Grouping, breakdown, change, grouping
from binyan.evaluation.comparison import Comparison, compare
from binyan.evaluation.differences import largest_differences
from binyan.evaluation.perplexity import Evaluation, HeldOutText, by_order, by_training_size, evaluate, summary
from binyan.evaluation.streaming import TextTotals, measure, score_rows
from binyan.evaluation.table import Chart, Column, Table
from binyan.evaluation.traces import trace, trace_of

__all__ = [
    "GROUPINGS",
    "Chart",
    "Column",
    "Comparison",
    "Evaluation",
    "Grouping",
    "HeldOutText",
    "Table",
    "TextTotals",
    "breakdown",
    "by_order",
    "by_training_size",
    "change",
    "compare",
    "evaluate",
    "grouping",
    "largest_differences",
    "measure",
    "score_rows",
    "summary",
    "trace",
    "trace_of",
]
