"""`binyan lm`: language models trained, evaluated, queried and exchanged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli import lm_explain, lm_log_bilinear, lm_mix, lm_train
from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import plain_warnings, print_json, write_tables
from binyan.errors import SettingsError
from binyan.text import Preparation

if TYPE_CHECKING:
    from binyan.evaluation.breakdown import PartsOf
    from binyan.language_model import LanguageModel

app = App(
    no_args_is_help=True,
    help="""Language models: train, evaluate, query and exchange them.

    \b
    binyan lm train mkn --text train.txt --order 4 --out model.binyan
    binyan lm perplexity model.binyan --text test.txt --by hit-length
    binyan lm export model.binyan --arpa model.arpa.gz
    """,
)
app.add_typer(lm_train.app, name="train")
app.command("tune")(lm_log_bilinear.tune)
app.command("mix")(lm_mix.mix)
app.command("extend")(lm_mix.extend)
app.command()(lm_explain.explain)

By = Annotated[
    list[str] | None,
    typer.Option("--by", help="Break down by hit-length, frequency, pos, compound, parts; may be repeated."),
]
Segments = Annotated[
    Path | None, typer.Option("--segmentation", metavar="F", help="Parts of words, for --by compound and parts.")
]


Renormalise = Annotated[
    bool, typer.Option("--renormalise", help="Of a compound model: given that every word is of the vocabulary.")
]


@app.command()
def perplexity(
    model: o.Model,
    text: o.HeldOut,
    by: By = None,
    segmentation: Segments = None,
    renormalise: Renormalise = False,
    tsv: o.Tsv = None,
    plots: o.Plots = None,
    json_: o.Json = False,
) -> None:
    """Perplexity on a text, with and without unknown words; of compound models also renormalised over the vocabulary.

    \b
    binyan lm perplexity model.binyan --text test.txt --by hit-length --by frequency
    binyan lm perplexity model.binyan --text test.conllu --by pos --plots figures --json
    """
    from binyan.evaluation import breakdown, evaluate, grouping
    from binyan.language_model import load
    from binyan.ngram.compound import CompoundHPYLM

    loaded = load(model)
    closed = loaded.closed() if isinstance(loaded, CompoundHPYLM) else None
    if renormalise and closed is None:
        raise SettingsError(f"{model}: a model of kind {loaded.kind!r} sums to one already; hpylm+c and hpylm+g do not")
    parts = _parts_of(segmentation, loaded)
    evaluation = evaluate(closed if renormalise and closed else loaded, o.held_out(text), model.stem)
    tables = {name: breakdown([evaluation], grouping(name, evaluation, loaded, parts)) for name in by or ()}
    write_tables(tables, tsv, plots)
    figures = evaluation.to_dict()
    if closed is not None:
        scored = evaluation if renormalise else evaluate(closed, evaluation.text, model.stem)
        figures["perplexity_renormalised"] = scored.perplexity
    if json_:
        print_json({**figures, **{name: table.to_dict() for name, table in tables.items()}})
        return
    typer.echo(
        f"perplexity {figures['perplexity']:.4f}  without unknown words {figures['perplexity_known']:.4f}  "
        f"tokens {figures['tokens']:,}  unknown {figures['unknown']:,}\n{figures['signature']}"
    )
    if closed is not None and not renormalise:
        typer.echo(f"renormalised over the vocabulary {figures['perplexity_renormalised']:.4f}")
    for table in tables.values():
        typer.echo()
        typer.echo(table.terminal(), nl=False)


@app.command()
def score(
    model: o.Model,
    text: o.HeldOut,
    tokens: Annotated[bool, typer.Option("--tokens", help="One line a word, with its hit length.")] = False,
    json_: o.Json = False,
) -> None:
    """The log10 probability of every sentence, or of every word.

    \b
    binyan lm score model.binyan --text test.txt
    echo 'das haus ist gross' | binyan lm score model.binyan --text - --tokens
    """
    from binyan.evaluation import evaluate
    from binyan.language_model import load

    evaluation = evaluate(load(model), o.held_out(text), model.stem)
    scores, held_out = evaluation.scores, evaluation.text
    log10 = scores.log_prob / math.log(10)
    rows: list[dict[str, Any]] = []
    for i, sentence in enumerate(held_out.sentences):
        first, last = int(scores.offsets[i]), int(scores.offsets[i + 1])
        if tokens:
            rows += [
                {
                    "sentence": i + 1,
                    "word": held_out.words[j],
                    "log10_prob": float(log10[j]),
                    "matched": int(scores.matched[j]),
                    "unknown": bool(scores.unknown[j]),
                }
                for j in range(first, last)
            ]
        else:
            unknown = int(scores.unknown[first:last].sum())
            total = float(log10[first:last].sum())
            rows.append({"sentence": i + 1, "log10_prob": total, "unknown": unknown, "text": " ".join(sentence)})
    if json_:
        print_json({"scores": rows, "log10_prob": float(log10.sum()), "signature": str(evaluation.signature)})
        return
    typer.echo(f"# {evaluation.signature}")
    typer.echo("\t".join(rows[0]))
    for row in rows:
        typer.echo("\t".join(f"{v:.6f}" if isinstance(v, float) else str(v) for v in row.values()))


@app.command()
def sample(
    model: o.Model,
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many sentences.")] = 5,
    seed: o.Seed = 1,
    longest: Annotated[int, typer.Option("--longest", min=1, help="At most this many words.")] = 100,
    json_: o.Json = False,
) -> None:
    """Draw sentences from a model.

    \b
    binyan lm sample model.binyan -n 5 --seed 7
    """
    import numpy as np

    from binyan.language_model import load

    loaded = load(model)
    random = np.random.default_rng(seed)
    sentences = [" ".join(loaded.sample(random, longest)) for _ in range(number)]
    if json_:
        print_json({"sentences": sentences, "seed": seed, "signature": str(loaded.signature())})
    else:
        typer.echo("\n".join(sentences))


@app.command()
def export(
    model: o.Model,
    arpa: Annotated[Path, typer.Option("--arpa", metavar="F", help="The ARPA file; packed if named .gz or .xz.")],
    one_sample: Annotated[bool, typer.Option("--one-sample", help="Of an average of samples, the last one.")] = False,
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Of an average of samples, the nearest ARPA model.")
    ] = False,
    quiet: o.Quiet = False,
) -> None:
    """Write a model as an ARPA file, for decoders and other tools.

    Exact for Kneser-Ney and for one sample of an HPYLM. The average of several samples is no ARPA model: it is refused
    unless --one-sample or --approximate is given.

    \b
    binyan lm export model.binyan --arpa model.arpa.gz
    """
    from binyan.language_model import load
    from binyan.ngram.arpa import write_arpa
    from binyan.ngram.backoff import BackoffLanguageModel

    o.check_out(arpa)
    loaded = load(model)
    if not isinstance(loaded, BackoffLanguageModel):
        raise SettingsError(
            f"{model}: a model of kind {loaded.kind!r} has no ARPA form; n-gram models have. Give a decoder "
            "mkn or hpylm, and rescore its n-best lists with this one: 'binyan rescore'"
        )
    if one_sample and hasattr(loaded, "one_sample"):
        loaded = loaded.one_sample()
    write_arpa(loaded, arpa, approximate, False if quiet else None)
    inexact = loaded.native.columns > 1
    typer.echo(f"{arpa}: {'approximates the average of samples' if inexact else 'exact'}\n{loaded.signature()}")


@app.command("import")
@with_settings
def import_(
    *,
    arpa: Annotated[Path, typer.Argument(metavar="F", help="An ARPA file, plain, gz, xz or bz2.")],
    out: o.Out,
    prepare: Preparation,
    quiet: o.Quiet = False,
) -> None:
    """Make a model file from an ARPA file of any tool.

    The options on text say what was done to the model's training text, so that the same is done to what it scores.

    \b
    binyan lm import model.arpa.gz --out model.binyan
    """
    from binyan.ngram.arpa import ArpaModel

    o.check_out(out)
    with plain_warnings():
        model = ArpaModel.read(arpa, prepare, progress=False if quiet else None)
    model.save(out)
    typer.echo(f"{out}: order {model.order}, {len(model.vocabulary):,} words\n{model.signature()}")


@app.command()
def compare(
    one: Annotated[Path, typer.Argument(metavar="M1", help="A model file.")],
    other: Annotated[Path, typer.Argument(metavar="M2", help="Another, of the same vocabulary.")],
    text: o.HeldOut,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many n-grams a model.")] = 20,
    by: By = None,
    segmentation: Segments = None,
    tsv: o.Tsv = None,
    plots: o.Plots = None,
    json_: o.Json = False,
) -> None:
    """Two models on one text: perplexities, change by subset, and the n-grams where they differ most.

    \b
    binyan lm compare mkn.binyan hpylm.binyan --text test.txt --top 20 --by hit-length
    """
    from binyan.evaluation import change, evaluate, grouping, largest_differences, summary
    from binyan.evaluation.perplexity import HeldOutText
    from binyan.language_model import load

    models = [load(one), load(other)]
    parts = _parts_of(segmentation, *models)
    names = [one.stem, other.stem] if one.stem != other.stem else [str(one), str(other)]
    if names[0] == names[1]:
        names[1] += " (2)"
    held_out = HeldOutText.read(o.held_out(text), models[0].preparation)
    first, second = (evaluate(m, held_out, name) for m, name in zip(models, names, strict=True))
    tables = {"perplexity": summary([first, second])}
    for name in by or ():
        tables[name] = change(first, second, grouping(name, first, models[0], parts))
    if top:
        tables["differences"] = largest_differences(first, second, top)
    write_tables(tables, tsv, plots)
    if json_:
        print_json({name: table.to_dict() for name, table in tables.items()})
    else:
        typer.echo("\n".join(table.terminal() for table in tables.values()), nl=False)


@app.command()
def trace(model: o.Model, tsv: o.Tsv = None, plots: o.Plots = None, json_: o.Json = False) -> None:
    """The log-likelihood of a sampled model after every sweep, and whether its chains agree.

    \b
    binyan lm trace hpylm.binyan --plots figures
    """
    from binyan.evaluation import trace as table_of
    from binyan.language_model import load

    loaded = load(model)
    chains = getattr(loaded, "trace", None)
    if not chains:
        raise SettingsError(f"{model}: a model of kind {loaded.kind!r} was not sampled: it has no trace")
    columns = {f"chain {i}": [float(x) for x in chain[:, 0]] for i, chain in enumerate(chains, 1)}
    table = table_of(columns, str(loaded.signature()), burn_in=len(next(iter(columns.values()))) // 2)
    write_tables({"trace": table}, tsv, plots)
    if json_:
        print_json(table.to_dict())
    else:
        typer.echo(table.terminal(), nl=False)


def _parts_of(segmentation: Path | None, *models: LanguageModel) -> PartsOf | None:
    """How many parts a word has, by a file of segmentations, or else by the first compound model."""
    if segmentation is not None:
        from binyan.segmentation import SegmentationTable

        table = SegmentationTable.read(segmentation)
        return lambda word: len(table.components(word))
    from binyan.ngram.compound import CompoundHPYLM

    for model in models:
        if isinstance(model, CompoundHPYLM):
            decomposition = model.decomposition
            return lambda word: len(decomposition(word))
    return None
