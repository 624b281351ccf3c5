"""`binyan mt evaluate`: translations against references, and two systems against each other."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli.mt import app
from binyan.cli.options import Json, Lowercase, Seed
from binyan.cli.output import print_json

if TYPE_CHECKING:
    from binyan.evaluation.translation import CompoundScore


@app.command()
def evaluate(
    hypothesis: Annotated[Path, typer.Option(help="Translations, one a line.")],
    reference: Annotated[list[Path], typer.Option(help="Reference translations; may be repeated.")],
    baseline: Annotated[Path | None, typer.Option(help="Translations of another system, to compare with.")] = None,
    compounds: Annotated[
        Path | None, typer.Option(help="Segmentation table (TSV): words with several parts are compounds.")
    ] = None,
    examples: Annotated[
        int, typer.Option(help="With --baseline and --compounds: show so many sentences that differ.")
    ] = 10,
    tokenise: Annotated[
        str, typer.Option(help="As sacrebleu has it: none (tokenised already), 13a, intl ...")
    ] = "none",
    lowercase: Lowercase = False,
    samples: Annotated[int, typer.Option(help="Resamplings of the paired bootstrap.")] = 1000,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """BLEU and chrF with sacrebleu's signatures; compounds; a paired bootstrap against another system.

    binyan mt evaluate --hypothesis new.de --baseline old.de --reference test.de --compounds compounds.tsv
    """
    from binyan.evaluation import translation as measure
    from binyan.segmentation import SegmentationTable
    from binyan.text import Preparation, read_lines

    read = lambda path: [line for _, line in read_lines(path)]  # noqa: E731
    systems = {"system": read(hypothesis)} | ({"baseline": read(baseline)} if baseline is not None else {})
    references = [read(path) for path in reference]
    scores = measure.translation_scores(systems["system"], references, tokenise, lowercase)
    figures: dict[str, Any] = {s.name: {"score": s.score, "signature": s.signature} for s in scores}
    lines = [f"{s.text}\n  {s.signature}" for s in scores]
    if baseline is not None:
        pairs = measure.paired_bootstrap(
            systems["baseline"], systems["system"], references, samples, seed, tokenise, lowercase
        )
        figures["paired"] = {
            p.name: {"baseline": p.baseline, "system": p.system, "p": p.p_value, "signature": p.signature}
            for p in pairs
        }
        lines += [f"{p.name}: {p.baseline:.2f} -> {p.system:.2f}, p = {p.p_value:.4f}\n  {p.signature}" for p in pairs]
    if compounds is not None:
        table = SegmentationTable.read(compounds)
        words, prepare = measure.compound_words(table), Preparation(lowercase=lowercase)
        texts = {name: [prepare(line) for line in text] for name, text in systems.items()}
        right = [prepare(line) for line in references[0]]
        found = {name: measure.compound_score(text, right, words) for name, text in texts.items()}
        figures["compounds"] = {"table": table.digest} | {name: _figures(c) for name, c in found.items()}
        lines += [f"compounds of the {name}: {_shown(c)}; table {table.digest})" for name, c in found.items()]
        if baseline is not None:
            differing = list(measure.compound_differences(texts["baseline"], texts["system"], right, words))
            figures["compounds"]["differences"] = len(differing)
            for d in differing[:examples]:
                named = zip(
                    ("baseline", "system", "reference"), (d.only_first, d.only_second, d.reference), strict=True
                )
                lines.append(f"{d.sentence + 1}: " + " | ".join(f"{name} {_listed(own)}" for name, own in named))
                lines += [f"  {text[d.sentence]}" for text in (systems["baseline"], systems["system"], references[0])]
    if json:
        print_json(figures)
    else:
        typer.echo("\n".join(lines))


def _figures(c: CompoundScore) -> dict[str, Any]:
    return {
        "precision": c.precision,
        "recall": c.recall,
        "f": c.f_score,
        "hypothesised": c.hypothesised,
        "reference": c.in_reference,
    }


def _shown(c: CompoundScore) -> str:
    shares = f"precision {100 * c.precision:.1f}, recall {100 * c.recall:.1f}, F {100 * c.f_score:.1f}"
    return f"{shares} ({c.matched} of {c.hypothesised}; {c.in_reference} in the reference"


def _listed(words: Collection[str]) -> str:
    return " ".join(words) or "-"
