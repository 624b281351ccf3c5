"""`binyan morph`: learn morphology from a word list, and use what was learnt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from binyan.cli.commands import App
from binyan.cli.options import (
    Digits,
    Json,
    Lowercase,
    Model,
    Normalise,
    Out,
    Plots,
    Quiet,
    Scheduler,
    StripMarks,
    Tsv,
    check_out,
)
from binyan.cli.output import plain_warnings, print_json
from binyan.errors import InputError, SettingsError
from binyan.evaluation.table import write_tables

if TYPE_CHECKING:
    from binyan.morphology import AdaptorSampler, Segmenter

app = App(no_args_is_help=True, help="Morphemes, roots and templates learnt from a word list.")

Words = Annotated[
    Path, typer.Argument(metavar="WORDS", help="One word a line, optional tab and count; or running text.")
]
SomeWords = Annotated[
    Path | None,
    typer.Argument(metavar="[WORDS]", help="Words to analyse (- for standard input); all learnt ones if left out."),
]
Method = Annotated[str, typer.Option("--method", help="Root extraction of the thesis: A (R3) or B (R3 and T3).")]


@app.command()
def learn(
    words: Words,
    out: Out,
    grammar: Annotated[str, typer.Option("--grammar", "-g", help="A shipped grammar, or a grammar file.")] = "concat",
    sweeps: Annotated[int, typer.Option("--sweeps", help="Sweeps over all words.")] = 1000,
    burn_in: Annotated[
        int | None, typer.Option("--burn-in", help="Sweeps before trees are collected [9 of 10].")
    ] = None,
    thin: Annotated[int, typer.Option("--thin", help="Collect every so many sweeps.")] = 1,
    chains: Annotated[int, typer.Option("--chains", help="Independent chains, each in a thread.")] = 2,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Seed of all that is drawn.")] = 1,
    initialisation: Annotated[str, typer.Option("--init", help="First trees: batch or incremental.")] = "batch",
    relabel: Annotated[
        int, typer.Option("--relabel", help="Resample cached trees in so many first sweeps; -1: in all.")
    ] = -1,
    anneal_from: Annotated[float, typer.Option("--anneal-from", help="First temperature.")] = 1.0,
    anneal_sweeps: Annotated[int, typer.Option("--anneal-sweeps", help="Sweeps until the temperature is 1.")] = 0,
    snapshots: Annotated[int, typer.Option("--snapshots", help="States kept to analyse new words with.")] = 10,
    memory: Annotated[int, typer.Option("--memory", metavar="MB", help="Refuse what would take more.")] = 4096,
    unparsable: Annotated[str, typer.Option("--unparsable", help="Words without analysis: skip or refuse.")] = "skip",
    unit: Annotated[str, typer.Option("--unit", help="Atoms of words: grapheme or codepoint.")] = "grapheme",
    normalise: Normalise = "none",
    strip_marks: StripMarks = False,
    lowercase: Lowercase = False,
    digits: Digits = False,
    scheduler: Scheduler = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from --out if it is there.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn an adaptor grammar by sampling. The model is saved every minute, at the end, and on Ctrl-C.

    Example: binyan morph learn words.txt --grammar tpl+t4 --out arabic.model --sweeps 200
    """
    from binyan.grammar.notation import load_grammar
    from binyan.morphology import AdaptorSampler, Settings, WordList, load_sampler, save_sampler
    from binyan.text import Preparation

    check_out(out)
    settings = Settings(
        sweeps=sweeps,
        burn_in=burn_in,
        thin=thin,
        chains=chains,
        seed=seed,
        snapshots=snapshots,
        initialisation=cast(Any, initialisation),
        relabel=relabel,
        anneal_from=anneal_from,
        anneal_sweeps=anneal_sweeps,
        memory_mb=memory,
        unparsable=cast(Any, unparsable),
    )
    with plain_warnings():
        prepare = Preparation(normalise=normalise, strip_marks=strip_marks, lowercase=lowercase, digits=digits)
        listed = WordList.read(words, prepare, cast(Any, unit))
        rules = load_grammar(grammar)
        if resume and out.exists():
            sampler = load_sampler(out, settings)
            if sampler.words.digest != listed.digest or sampler.compiled.source.rules != rules.rules:
                raise SettingsError(f"{out}: was learnt from other words or with another grammar; leave out --resume")
        else:
            sampler = AdaptorSampler(rules, listed, settings)
        if not quiet:
            typer.echo(f"{len(listed):,} words, {sampler.memory_mb:,.0f} MB for their analyses", err=True)
        sampler.run(False if quiet else None, checkpoint=lambda: save_sampler(sampler, out), scheduler=scheduler)
    _report(sampler, out, as_json)


def _report(sampler: AdaptorSampler, out: Path, as_json: bool) -> None:
    last = [dict(zip(sampler.trace_columns, trace[-1].tolist(), strict=True)) for trace in sampler.trace_tables]
    figures: dict[str, Any] = {
        "model": str(out),
        "words": len(sampler.words) - len(sampler.unparsable),
        "unparsable": len(sampler.unparsable),
        "sweeps": sampler.sweeps,
        "memory_mb": sampler.memory_mb,
        "chains": last,
        "r_hat": sampler.r_hat,
        "agreement": sampler.agreement(),
        "signature": str(sampler.signature),
    }
    if as_json:
        print_json(figures)
        return
    for number, chain in enumerate(last):
        tables = ", ".join(f"{n.split()[1]} {int(v):,}" for n, v in chain.items() if n.startswith("tables"))
        typer.echo(
            f"chain {number}: log joint probability {chain['log_joint']:,.1f}, accepted "
            f"{100 * chain['acceptance']:.1f}%, morphemes: {tables}"
        )
    told = {name: value for name, value in sampler.r_hat.items() if value == value}  # not a number where nothing varied
    if told:
        worst = max(told.items(), key=lambda item: item[1])
        agree = "the chains agree" if worst[1] < 1.1 else "not yet mixed: run more sweeps"
        typer.echo(f"R-hat at most {worst[1]:.2f} ({worst[0]}): {agree}")
    if len(last) > 1:
        typer.echo(f"{100 * figures['agreement']:.1f}% of words have the same best tree in all chains")
    typer.echo(str(sampler.signature))


@app.command()
def segment(
    model: Model,
    words: SomeWords = None,
    n_best: Annotated[int, typer.Option("--n-best", "-n", help="Segmentations of each word.")] = 1,
    as_json: Json = False,
) -> None:
    """The most probable segmentations of words, with their posterior probabilities. A word without any is named.

    Example: echo wAlktAb | binyan morph segment arabic.model - --n-best 5
    """
    segmenter, chosen = _open(model, words)
    without = []
    rows: list[dict[str, Any]] = []
    for word in chosen:
        found = segmenter.segment(word, n_best)
        if not found:
            without.append(word)
        if as_json:
            listed = [
                {
                    "segmentation": str(s),
                    "probability": p,
                    "parts": [
                        {"text": part.text, "label": part.label, "positions": list(places)}
                        for part, places in zip(s.parts, s.positions, strict=True)
                    ],
                }
                for s, p in found
            ]
            rows.append({"word": word, "analyses": listed})
        else:
            for s, p in found:
                typer.echo(f"{word}\t{s}\t{p:.4f}")
    if as_json:
        print_json({"words": rows, "without_analysis": without, "signature": segmenter.signature})
    elif without:
        shown = ", ".join(without[:5]) + (", ..." if len(without) > 5 else "")
        typer.echo(f"binyan: no analysis for {len(without)} of {len(chosen)} words: {shown}", err=True)


@app.command()
def roots(
    model: Model,
    words: SomeWords = None,
    length: Annotated[int, typer.Option("--length", help="Radicals of the root.")] = 3,
    method: Method = "A",
    as_json: Json = False,
) -> None:
    """The most probable root of each word, where its analysis has one.

    Example: binyan morph roots arabic.model
    """
    segmenter, chosen = _open(model, words)
    found = {word: segmenter.roots(word, length, _method(method)) for word in chosen}
    if as_json:
        print_json({"roots": found, "length": length, "method": method, "signature": segmenter.signature})
        return
    for word, candidates in found.items():
        for root, probability in list(candidates.items())[:1]:
            typer.echo(f"{word}\t{root}\t{probability:.4f}")
    without = sum(not candidates for candidates in found.values())
    if without:
        why = "" if without < len(found) else "; does its grammar have roots? root-template and tpl+t4 do"
        typer.echo(f"binyan: no root of {length} radicals for {without} of {len(found)} words{why}", err=True)


@app.command()
def lexicon(
    model: Model,
    category: Annotated[str, typer.Option("--category", "-c", help="A symbol of the grammar.")] = "Stem",
    limit: Annotated[int, typer.Option("--limit", help="At most so many entries; 0: all.")] = 0,
    as_json: Json = False,
) -> None:
    """The morphemes of a category with their probabilities; the parts of one with gaps are joined by a middle dot.

    Example: binyan morph lexicon arabic.model --category R3 --limit 20
    """
    from binyan.morphology import Segmenter

    segmenter = Segmenter.load(model)
    entries = list(segmenter.lexicon(category))[: limit or None]
    if as_json:
        listed = [{"strings": e.strings, "probability": e.probability, "uses": e.uses} for e in entries]
        print_json({"category": category, "entries": listed, "signature": segmenter.signature})
        return
    for entry in entries:
        typer.echo(f"{'·'.join(entry.strings)}\t{entry.probability:.6f}\t{entry.uses:g}")


@app.command()
def tree(
    model: Model,
    word: Annotated[str, typer.Argument(metavar="WORD", help="The word to draw.")],
    n_best: Annotated[int, typer.Option("--n-best", "-n", help="Trees to show.")] = 1,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="F", help="Write the best tree as SVG.")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="F", help="Write the trees as a web page.")] = None,
    as_json: Json = False,
) -> None:
    """The analysis of a word as a tree, with crossing branches where a morpheme has gaps.

    Example: binyan morph tree arabic.model wAlktAb --svg tree.svg
    """
    from binyan.grammar.drawing import draw_html, draw_svg
    from binyan.grammar.text_drawing import draw_text
    from binyan.morphology import Segmenter

    segmenter = Segmenter.load(model)
    found = segmenter.analyses(word, n_best)
    if not found:
        raise InputError(f"the grammar of {model} cannot derive {word!r}")
    if svg is not None:
        svg.write_text(draw_svg(found[0].tree), encoding="utf-8")
    if html is not None:
        captions = [(a.tree, f"{a.segmentation}, probability {a.probability:.3f}") for a in found]
        html.write_text(draw_html(captions, word), encoding="utf-8")
    if as_json:
        listed = [
            {"tree": a.tree.discbracket(), "segmentation": str(a.segmentation), "probability": a.probability}
            for a in found
        ]
        print_json({"word": word, "analyses": listed, "signature": segmenter.signature})
        return
    for analysis in found:
        typer.echo(f"{analysis.probability:.4f}  {analysis.segmentation}\n{draw_text(analysis.tree)}")


@app.command()
def trace(
    model: Model,
    figure: Annotated[
        str,
        typer.Option(
            "--figure",
            help="A column of the trace: log_joint, acceptance, changed, "
            "or a, b, customers, tables of a symbol, as in 'tables Stem'.",
        ),
    ] = "log_joint",
    tsv: Tsv = None,
    plots: Plots = None,
    as_json: Json = False,
) -> None:
    """A figure after every sweep of every chain, and whether the chains agree.

    Example: binyan morph trace arabic.model --plots figures
    """
    from binyan.evaluation.traces import trace as table_of
    from binyan.morphology import load_sampler

    sampler = load_sampler(model)
    if figure not in sampler.trace_columns:
        raise SettingsError(f"the trace has no {figure!r}; it has {', '.join(sampler.trace_columns)}")
    column = sampler.trace_columns.index(figure)
    chains = {f"chain {i}": rows[:, column].tolist() for i, rows in enumerate(sampler.trace_tables)}
    every = max(1, sampler.sweeps // 1000)
    table = table_of(chains, str(sampler.signature), sampler.settings.burned, figure.replace("_", " "), every)
    write_tables({"trace": table}, tsv, plots)
    if as_json:
        print_json(table.to_dict())
    else:
        typer.echo(table.terminal(), nl=False)


def _open(model: Path, words: Path | None) -> tuple[Segmenter, list[str]]:
    """The model, and the words to analyse."""
    from binyan.morphology import Segmenter, WordList

    segmenter = Segmenter.load(model)
    if words is None:
        return segmenter, list(segmenter.words.words)
    if str(words) == "-":
        return segmenter, list(WordList.of(line.split("\t")[0] for line in sys.stdin).words)
    return segmenter, list(WordList.read(words).words)


def _method(method: str) -> Literal["A", "B"]:
    if method not in ("A", "B"):
        raise SettingsError(f"the root extraction method is A or B, not {method!r}")
    return "A" if method == "A" else "B"
