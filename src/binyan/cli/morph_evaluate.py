"""`binyan morph evaluate`: a learnt morphology against a gold standard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli.morph import app
from binyan.cli.options import Json, Model, Plots, Tsv
from binyan.cli.output import print_json
from binyan.errors import SettingsError
from binyan.evaluation.table import write_tables

if TYPE_CHECKING:
    from binyan.evaluation import Table


@app.command()
def evaluate(
    model: Model,
    gold: Annotated[Path, typer.Option("--gold", metavar="TSV", help="Rows of word, segments, root.")],
    task: Annotated[str, typer.Option("--task", help="segmentation, roots or lexicon.")] = "segmentation",
    coarse: Annotated[bool, typer.Option("--coarse", help="Segmentation: borders of stems only.")] = False,
    at_least: Annotated[
        int, typer.Option("--at-least", metavar="N", min=1, help="Segmentation: words of N or more morphemes.")
    ] = 1,
    length: Annotated[int, typer.Option("--length", help="Roots: number of radicals.")] = 3,
    method: Annotated[str, typer.Option("--method", help="Roots: extraction A (R3) or B (R3 and T3).")] = "A",
    category: Annotated[
        str, typer.Option("--category", "-c", help="Lexicon: pre, stem, suf, inf, redup, circ, root3 or root4.")
    ] = "stem",
    half: Annotated[
        str, typer.Option("--half", help="Only one half of the gold words: development or report (else: all).")
    ] = "all",
    tsv: Tsv = None,
    plots: Plots = None,
    as_json: Json = False,
) -> None:
    """Compare what a model says of words with what they are. Words it did not learn from are analysed, too.

    \b
    Gold rows are tab-separated: word, segments with labels (w/pre ktAb/stem hm/suf), root or _.

    Examples:
      binyan morph evaluate arabic.model --gold BW.tsv --task segmentation
      binyan morph evaluate arabic.model --gold BW.tsv --task lexicon --category root3 --plots figures
    """
    from binyan.evaluation.gold import halves, read_gold
    from binyan.evaluation.lexicon import gold_lexicon, roc_curve, roc_table
    from binyan.evaluation.morphology import Analysed, sampled_lexicon
    from binyan.evaluation.segmentation import morphemes_per_word
    from binyan.morphology import Segmenter
    from binyan.signature import digest

    if task not in ("segmentation", "roots", "lexicon"):
        raise SettingsError(f"the task is segmentation, roots or lexicon, not {task!r}")
    if method not in ("A", "B") or half not in ("all", "development", "report"):
        raise SettingsError("--method is A or B, --half is all, development or report")
    segmenter = Segmenter.load(model)
    words = read_gold(gold, lambda text: "".join(segmenter.words.preparation(text)))
    if half != "all":
        words = halves(words)[half == "report"]
    analysed = Analysed.of(segmenter, words)
    signature = f"{segmenter.signature}|gold:{digest(gold.read_bytes())}|half:{half}|task:{task}"
    tables: dict[str, Table] = {}
    figures: dict[str, Any]
    if task == "segmentation":
        figures = analysed.segmentation("coarse" if coarse else "fine", at_least).to_dict()
        tables["morphemes_per_word"] = morphemes_per_word({"model": analysed.pieces}, words, signature)
        line = "segment borders: precision {precision:.1f}, recall {recall:.1f}, F1 {f1:.1f} [{f1_low:.1f}, {f1_high:.1f}], {words} words"
    elif task == "roots":
        figures = analysed.roots(length, "A" if method == "A" else "B").to_dict()
        line = "roots: accuracy {accuracy:.1f} [{accuracy_low:.1f}, {accuracy_high:.1f}] of {evaluated} words"
    else:
        ranking = sampled_lexicon(segmenter, [word.word for word in words], category)
        figures = analysed.lexicon_score(category, ranking).to_dict()
        curve = roc_curve(ranking, gold_lexicon(words, category))
        tables["roc"] = roc_table({category: curve}, f"ROC of the lexicon: {category}", signature)
        line = "lexicon: precision {precision:.1f}, recall {recall:.1f}, F1 {f1:.1f}, area under the ROC curve {auc:.3f}, {entries} entries"
    write_tables(tables, tsv, plots)
    if as_json:
        print_json({"task": task, **figures, "signature": signature})
    else:
        typer.echo(f"{line.format(**figures)}\n{signature}")
