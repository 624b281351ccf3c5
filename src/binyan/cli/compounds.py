"""`binyan compounds`: train, use and evaluate compound splitters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.errors import SettingsError
from binyan.signature import Signature, digest
from binyan.text import Preparation

app = App(help="Split compounds into their parts: train a splitter, split words, evaluate.", no_args_is_help=True)

Gold = Annotated[
    list[Path] | None,
    typer.Option(help="Gold list: word TAB parts, or GecoDB's or GermaNet's own format. May be repeated."),
]
Text = Annotated[list[Path] | None, typer.Option(help="Text, one sentence a line (plain, gz, xz). May be repeated.")]


@app.command()
def train(
    out: Annotated[Path, typer.Option(help="Where the splitter is saved.")],
    gold: Gold = None,
    text: Text = None,
    exclude: Annotated[
        list[Path] | None, typer.Option(help="Gold list whose words are kept out of training (a development set).")
    ] = None,
    recursive: Annotated[
        bool, typer.Option(help="Split parts that are themselves compounds of the gold list.")
    ] = False,
    simplex: Annotated[
        Path | None, typer.Option(help="Words not to be split, one a line. Default: gold parts that are never split.")
    ] = None,
    links: Annotated[str, typer.Option(help="Without --gold: linking elements, separated by spaces.")] = "",
    penalty: Annotated[float, typer.Option(help="Weight of the squared weights.")] = 1.0,
    iterations: Annotated[int, typer.Option(help="At most so many steps of L-BFGS.")] = 150,
    max_words: Annotated[int, typer.Option(help="Fit weights to at most so many gold words.")] = 100_000,
    seed: o.Seed = 1,
    normalise: o.Normalise = "none",
    punctuation: o.Punctuation = False,
    tokenise: o.Tokenise = None,
    quiet: o.Quiet = False,
) -> None:
    """Train a splitter on gold compounds, or, without --gold, make one of word frequencies alone.

    \b
    binyan compounds train --gold gold.tsv --text corpus.txt.xz --tokenise de --out german.splitter
    binyan compounds train --text corpus.txt.xz --links "s es n en" --out untrained.splitter
    """
    from binyan.segmentation import SegmentationTable
    from binyan.segmentation import gold as gold_lists
    from binyan.segmentation.compound_splitter import CompoundSplitter
    from binyan.segmentation.frequencies import word_frequencies
    from binyan.segmentation.frequency_splitter import FrequencySplitter
    from binyan.text import Preparation, Vocabulary

    o.check_out(out)
    progress = False if quiet else None
    frequencies = word_frequencies(text or [], Preparation(normalise, punctuation, tokenise), progress)
    if not gold:
        if not text:
            raise SettingsError("a splitter is made from --gold, from --text, or best from both; neither was given")
        FrequencySplitter.from_counts(frequencies, links.split()).save(out)
        typer.echo(f"{out}: splits by the frequencies of {len(frequencies):,} words")
        return
    held_out = {word for path in exclude or [] for word in gold_lists.read_gold(path).table}
    table = SegmentationTable()
    for path in gold:
        listed = gold_lists.read_gold(path)
        typer.echo(f"{path}: {listed}")
        for row in listed.table.values():
            if row.word not in held_out and row.word not in table:
                table.add(row)
    if recursive:
        table = gold_lists.recursive(table)
    words = None if simplex is None else Vocabulary.read(simplex).words[3:]
    splitter = CompoundSplitter.train(
        table,
        frequencies,
        simplex=words,
        penalty=penalty,
        max_iterations=iterations,
        max_words=max_words,
        seed=seed,
        progress=progress,
    )
    splitter.save(out)
    typer.echo(
        f"{out}: learnt from {splitter.settings['compounds']:,} compounds and "
        f"{splitter.settings['words'] - splitter.settings['compounds']:,} simplex words; linking elements: "
        f"{' '.join(splitter.settings['links'][1:]) or 'none'}"
    )


@app.command()
@with_settings
def split(
    *,
    splitter: Annotated[Path, typer.Argument(help="A saved splitter.")],
    out: Annotated[Path, typer.Option(help="Where the segmentations are written.")],
    text: Text = None,
    words: Annotated[Path | None, typer.Option(help="Words, one a line.")] = None,
    min_count: Annotated[int, typer.Option(help="With --text: only words seen so often.")] = 1,
    prepare: Preparation,
    quiet: o.Quiet = False,
) -> None:
    """Split the words of a text or of a list, and write them as word TAB parts.

    binyan compounds split german.splitter --text corpus.txt.xz --tokenise de --lowercase --out corpus.segmentation.tsv
    """
    from collections import Counter

    from binyan.segmentation.compound_splitter import load_splitter
    from binyan.text import Vocabulary, read_sentences

    o.check_out(out)
    if bool(text) == bool(words):
        raise SettingsError("give either --text or --words")
    model = load_splitter(splitter)
    if words is not None:
        todo = Vocabulary.read(words).words[3:]
    else:
        counts = Counter[str]()
        for path in text or []:
            for sentence in read_sentences(path, prepare):
                counts.update(sentence)
        todo = [word for word, count in counts.most_common() if count >= min_count]
    table = model.split(todo, False if quiet else None)
    table.write(out, comment=str(_signature(splitter)))
    compounds = sum(not row.is_simplex for row in table.values())
    typer.echo(f"{out}: {len(table):,} words, {compounds:,} of them split")


@app.command()
def evaluate(
    splitter: Annotated[Path, typer.Argument(help="A saved splitter.")],
    gold: Annotated[list[Path], typer.Option(help="Gold list, in any known format. May be repeated.")],
    errors: Annotated[int, typer.Option(help="Show so many wrong words.")] = 0,
    json_: o.Json = False,
) -> None:
    """Boundary precision, recall and F; a boundary is right only with the gold linking element.

    binyan compounds evaluate german.splitter --gold development.tsv --errors 20
    """
    from binyan.evaluation.compounds import evaluate_splits
    from binyan.segmentation import SegmentationTable
    from binyan.segmentation.compound_splitter import load_splitter
    from binyan.segmentation.gold import read_gold

    model = load_splitter(splitter)
    table = SegmentationTable()
    for path in gold:
        for row in read_gold(path).table.values():
            if row.word not in table:
                table.add(row)
    result = evaluate_splits(model.split(table), table, _signature(splitter))
    if json_:
        print_json(result.to_dict())
        return
    typer.echo(result.table().terminal(), nl=False)
    for theirs, mine in result.errors[:errors]:
        typer.echo(f"{theirs}  found: {mine}")


def _signature(splitter: Path) -> Signature:
    return Signature({"task": "compounds", "splitter": digest(splitter.read_bytes())})
