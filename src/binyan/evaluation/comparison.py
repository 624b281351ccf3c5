"""Several language models on one text: perplexities, changes by subset, and where the models differ most."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from binyan.evaluation.breakdown import PartsOf, breakdown, change, grouping
from binyan.evaluation.differences import largest_differences
from binyan.evaluation.perplexity import Evaluation, HeldOutText, evaluate, signature_of, summary
from binyan.evaluation.table import Table, write_tables
from binyan.files import PathLike
from binyan.language_model import LanguageModel, load
from binyan.segmentation import SegmentationTable
from binyan.text.reading import Source


@dataclass(frozen=True)
class Comparison:
    """The tables of a comparison by name: `perplexity`, then one per breakdown, and `differences` where they were asked for."""

    evaluations: tuple[Evaluation, ...]
    tables: Mapping[str, Table]

    def __str__(self) -> str:
        return self.report()

    def report(self, full: bool = False) -> str:
        """The tables, then the signature of each model, short unless `full`."""
        tables = [table.terminal(signature=False).rstrip("\n") for table in self.tables.values()]
        return "\n\n".join([*tables, signature_of(self.evaluations, full)])

    def _repr_html_(self) -> str:
        """All tables, for a notebook."""
        return "".join(table._repr_html_() for table in self.tables.values())

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    def to_pandas(self, name: str = "perplexity") -> Any:
        """One of the tables as a pandas DataFrame."""
        return self.tables[name].to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """All tables, for JSON."""
        return {name: table.to_dict() for name, table in self.tables.items()}

    def write(self, tsv: PathLike | None = None, plots: PathLike | None = None) -> None:
        """Write the tables into the folder `tsv`, and draw them into the folder `plots`."""
        write_tables(self.tables, tsv, plots)


def compare(
    models: Sequence[LanguageModel | PathLike],
    text: HeldOutText | Source,
    *,
    by: str | Iterable[str] = (),
    top: int = 0,
    names: Sequence[str] | None = None,
    segmentation: SegmentationTable | Mapping[str, str] | PathLike | None = None,
) -> Comparison:
    """Compare models, or model files, on a text. The first is what the others are compared with.

    `by`: breakdowns, as in `evaluate`. `top`: how many n-grams to list per model and direction where two models differ most.
    Models that do not know the same words are refused: their perplexities say nothing about each other. Where only some give words
    outside the vocabulary probabilities of their own, these are renormalised over the vocabulary, and called "closed".
    """
    loaded = [m if isinstance(m, LanguageModel) else load(m) for m in models]
    titles = list(names) if names is not None else _names(models, loaded)
    if len({m.events for m in loaded}) > 1:
        titles = [f"{name} (closed)" if m.is_open else name for m, name in zip(loaded, titles, strict=True)]
        loaded = [m.closed() for m in loaded]
    held_out = text if isinstance(text, HeldOutText) else HeldOutText.read(text, loaded[0].preparation)
    evaluations = tuple(evaluate(m, held_out, name) for m, name in zip(loaded, titles, strict=True))
    parts = parts_counter(segmentation, *loaded)
    tables = {"perplexity": summary(evaluations)}
    for name in [by] if isinstance(by, str) else by:
        tables[name] = change(evaluations, grouping(name, evaluations[0], loaded[0], parts))
    for other in evaluations[1:] if top else ():
        key = "differences" if len(evaluations) == 2 else f"differences {other.name}"
        tables[key] = largest_differences(evaluations[0], other, top)
    return Comparison(evaluations, tables)


def breakdowns(
    model: LanguageModel,
    evaluation: Evaluation,
    by: str | Iterable[str],
    segmentation: SegmentationTable | Mapping[str, str] | PathLike | None = None,
) -> dict[str, Table]:
    """The perplexity of a model by subsets of the events of an evaluation: hit-length, frequency, pos, compound, parts."""
    parts = parts_counter(segmentation, model)
    listed = [by] if isinstance(by, str) else by
    return {name: breakdown([evaluation], grouping(name, evaluation, model, parts)) for name in listed}


def parts_counter(
    segmentation: SegmentationTable | Mapping[str, str] | PathLike | None, *models: LanguageModel
) -> PartsOf | None:
    """How many parts a word has, by a table of segmentations, or else by the first model that sees inside words."""
    if segmentation is not None:
        table = SegmentationTable.of_any(segmentation)
        return lambda word: len(table.components(word))
    for model in models:
        if model.parts_of("") is not None:
            return lambda word: len(model.parts_of(word) or (word,))
    return None


def _names(models: Sequence[Any], loaded: Sequence[LanguageModel]) -> list[str]:
    """Names that tell models apart: the names of their files without folder and ending where these differ; else kinds."""
    paths = [isinstance(m, (str, os.PathLike)) for m in models]
    short = [Path(m).stem if is_path else model.kind for m, model, is_path in zip(models, loaded, paths, strict=True)]
    names = (
        short
        if len(set(short)) == len(short)
        else [str(m) if p else s for m, s, p in zip(models, short, paths, strict=True)]
    )
    return [f"{n} ({names[: i + 1].count(n)})" if n in names[:i] else n for i, n in enumerate(names)]
