"""`binyan mt`: alignment, rules, tuning and translation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli.commands import App
from binyan.cli.options import Json, Lowercase, Quiet, Seed
from binyan.cli.output import plain_warnings, print_json

if TYPE_CHECKING:
    from binyan.text import Preparation
    from binyan.translation import ExtractionLimits
    from binyan.translation.decoder import HypothesisLists

app = App(help="Translate with a hierarchical decoder that takes any language model.", no_args_is_help=True)

Source = Annotated[Path, typer.Option(help="Source text, one sentence a line (plain, gz, xz).")]
Target = Annotated[Path, typer.Option(help="Its translation, line by line.")]
SourceLanguage = Annotated[str | None, typer.Option(metavar="LANG", help="Tokenise the source text as Moses does.")]
TargetLanguage = Annotated[str | None, typer.Option(metavar="LANG", help="Tokenise the target text as Moses does.")]
Symmetrise = Annotated[
    str,
    typer.Option(
        help="How the two directions are joined: intersection, union, grow, grow-diag, grow-diag-final or grow-diag-final-and."
    ),
]
MaxSpan = Annotated[int, typer.Option(help="Words of a phrase rules are taken from.")]
MaxSymbols = Annotated[int, typer.Option(help="Words and gaps of a source side.")]
MinCount = Annotated[int, typer.Option(help="Leave out rules with gaps seen fewer times.")]
MaxTargets = Annotated[int, typer.Option(help="Target sides kept for a source side, the most frequent (0: all).")]
Models = Annotated[
    list[Path] | None,
    typer.Option("--lm", metavar="M", help="A language model file; may be repeated. Default: the system's own."),
]
Threads = Annotated[int, typer.Option(help="Sentences translated at once; the output does not depend on it.")]
PopLimit = Annotated[int, typer.Option(help="Hypotheses of a span in cube pruning.")]
DecodeSpan = Annotated[
    int, typer.Option("--max-span", help="Source words a rule covers; longer stretches are joined by glue.")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A system made by 'binyan mt train'.")]


def _preparations(source: str | None, target: str | None, lowercase: bool) -> tuple[Preparation, Preparation]:
    from binyan.text import Preparation

    return Preparation(tokenise=source, lowercase=lowercase), Preparation(tokenise=target, lowercase=lowercase)


def _limits(max_span: int, max_symbols: int, min_count: int, max_targets: int) -> ExtractionLimits:
    from binyan.translation import ExtractionLimits

    return ExtractionLimits(max_span, max_symbols, min_count=min_count, max_targets=max_targets)


@app.command()
def align(
    source: Source,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the alignment is written (Pharaoh format).")],
    symmetrise: Symmetrise = "grow-diag-final-and",
    forward: Annotated[
        Path | None, typer.Option(help="With --backward: a Pharaoh file, instead of running eflomal.")
    ] = None,
    backward: Annotated[Path | None, typer.Option(help="The other direction, also as source-target.")] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    lowercase: Lowercase = False,
) -> None:
    """Align words with eflomal in both directions and join the two.

    binyan mt align --source train.en --target train.de --out train.align
    """
    from binyan.errors import SettingsError
    from binyan.translation import Alignments, Bitext
    from binyan.translation import align as run
    from binyan.translation import symmetrise as join

    if (forward is None) != (backward is None):
        raise SettingsError("--forward and --backward go together")
    bitext = Bitext.read(source, target, *_preparations(source_language, target_language, lowercase))
    if forward is not None and backward is not None:
        made = join(Alignments.read(forward), Alignments.read(backward), symmetrise)
    else:
        made = run(bitext.source, bitext.target, symmetrise)
    made.write(out)
    typer.echo(f"{len(made):,} sentence pairs, {len(made.links):,} links", err=True)


@app.command()
def extract(
    source: Source,
    target: Target,
    alignment: Annotated[
        list[Path],
        typer.Option(help="Word alignment in the Pharaoh format. Repeated: rules are counted over all of them."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the grammar is written.")],
    only_for: Annotated[
        list[Path] | None, typer.Option("--for", metavar="F", help="Only rules that these source texts can use.")
    ] = None,
    format: Annotated[str, typer.Option(help="packed, or as text: cdec or moses.")] = "packed",
    max_span: MaxSpan = 10,
    max_symbols: MaxSymbols = 5,
    min_count: MinCount = 1,
    max_targets: MaxTargets = 0,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    lowercase: Lowercase = False,
    quiet: Quiet = False,
) -> None:
    """Extract hierarchical rules from an aligned bitext.

    binyan mt extract --source train.en --target train.de --alignment train.align --for test.en --out rules.binyan
    """
    from binyan.errors import SettingsError
    from binyan.translation import Alignments, Bitext, Grammar, write_grammar
    from binyan.translation.bitext import read_words

    if format not in ("packed", "cdec", "moses"):
        raise SettingsError(f"a grammar is written as packed, cdec or moses, not {format!r}")
    ours, theirs = _preparations(source_language, target_language, lowercase)
    wanted = [s for path in only_for for s in read_words(path, ours)] if only_for else None
    limits = _limits(max_span, max_symbols, min_count, max_targets)
    bitext = Bitext.read(source, target, ours, theirs)
    links = [Alignments.read(path) for path in alignment]
    grammar = Grammar.extract(bitext, links, limits, wanted, False if quiet else None)
    if format == "packed":
        grammar.save(out)
    else:
        write_grammar(grammar, out, format)
    typer.echo(str(grammar), err=True)


@app.command()
def train(
    source: Source,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder of the system.")],
    alignment: Annotated[
        list[Path] | None, typer.Option(help="Pharaoh file to use instead of eflomal; may be repeated.")
    ] = None,
    alignments: Annotated[int, typer.Option(help="How often eflomal aligns; rules are counted over all.")] = 1,
    only_for: Annotated[
        list[Path] | None, typer.Option("--for", metavar="F", help="Only rules that these source texts can use.")
    ] = None,
    order: Annotated[int, typer.Option(help="Order of the Kneser-Ney model of the target text.")] = 4,
    symmetrise: Symmetrise = "grow-diag-final-and",
    max_span: MaxSpan = 10,
    max_symbols: MaxSymbols = 5,
    min_count: MinCount = 1,
    max_targets: MaxTargets = 0,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    lowercase: Lowercase = False,
    quiet: Quiet = False,
) -> None:
    """All steps from a bitext to a system that translates; steps done before are kept.

    binyan mt train --source train.en --target train.de --source-language en --target-language de --lowercase --out ende
    """
    from binyan.translation.system import System, SystemSettings

    preparations = _preparations(source_language, target_language, lowercase)
    limits = _limits(max_span, max_symbols, min_count, max_targets)
    settings = SystemSettings(*preparations, symmetrise, limits, order, len(alignment) if alignment else alignments)
    with plain_warnings():
        system = System.train(source, target, out, settings, alignment or (), only_for or (), False if quiet else None)
    typer.echo(f"{system.grammar()}; next: binyan mt tune {out} --source F --reference F", err=True)


@app.command()
def tune(
    folder: Folder,
    source: Source,
    reference: Annotated[list[Path], typer.Option(help="Its translation, line by line; may be repeated.")],
    lm: Models = None,
    method: Annotated[str, typer.Option(help="mira or mert.")] = "mira",
    repetitions: Annotated[int, typer.Option(help="Tunings with different seeds; mean and deviation are shown.")] = 1,
    rounds: Annotated[int, typer.Option(help="Decodings of the text, at most.")] = 6,
    k: Annotated[int, typer.Option("--k", help="Hypotheses of a sentence in each round.")] = 100,
    name: Annotated[str, typer.Option(help="The weights are written to DIR/NAME.json.")] = "weights",
    pop_limit: PopLimit = 200,
    max_span: DecodeSpan = 10,
    threads: Threads = 1,
    seed: Seed = 1,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tune the weights towards BLEU on a text with its translation. Ctrl-C is safe: the same command goes on.

    binyan mt tune ende --source val.en --reference val.de --lm mkn.binyan --repetitions 3
    """
    from binyan.errors import InputError
    from binyan.translation import DecoderSettings, TuningSettings
    from binyan.translation.bitext import read_words
    from binyan.translation.system import System, mean_and_deviation

    system = System(folder)
    text = read_words(source, system.settings.source_preparation)
    sets = [read_words(path, system.settings.target_preparation) for path in reference]
    for path, one in zip(reference, sets, strict=True):
        if len(one) != len(text):
            raise InputError(
                f"{source} has {len(text):,} lines, {path} has {len(one):,}: line n of one must translate line n of the other"
            )
    references = [list(of) for of in zip(*sets, strict=True)]
    settings = TuningSettings(method, k, rounds, seed=seed)
    with plain_warnings():
        results = system.tune(
            text,
            references,
            lm or [],
            settings,
            DecoderSettings(max_span, pop_limit),
            repetitions,
            threads,
            name,
            False if quiet else None,
        )
    mean, deviation = mean_and_deviation([100 * r.bleu for r in results])
    signature = str(system.signature().extended(tuning=method, k=k, seed=seed, pop_limit=pop_limit))
    if json:
        best = max(results, key=lambda r: r.bleu)
        print_json(
            {
                "bleu": [100 * r.bleu for r in results],
                "mean": mean,
                "deviation": deviation,
                "weights": best.weights,
                "signature": signature,
            }
        )
        return
    for n, result in enumerate(results, 1):
        typer.echo(f"{n}: BLEU {100 * result.bleu:.2f} after {len(result.history)} rounds")
    typer.echo(f"mean {mean:.2f}, standard deviation {deviation:.2f}\n{signature}")


@app.command()
def translate(
    folder: Folder,
    lm: Models = None,
    weights: Annotated[Path | None, typer.Option(help="A file of weights. Default: DIR/weights.json.")] = None,
    grammar: Annotated[Path | None, typer.Option(help="Another grammar than the system's.")] = None,
    grammar_format: Annotated[str, typer.Option(help="Format of --grammar: packed, cdec or moses.")] = "packed",
    nbest: Annotated[int, typer.Option(help="Write so many hypotheses of a sentence, in the format of --format.")] = 0,
    format: Annotated[str, typer.Option(help="Format of n-best lists: moses, cdec or json.")] = "moses",
    raw: Annotated[
        bool, typer.Option("--raw", help="The input is prepared already: only white space separates words.")
    ] = False,
    batch: Annotated[int, typer.Option(help="Lines read before any is translated; 1 for a program that waits.")] = 200,
    consensus: Annotated[
        int,
        typer.Option(metavar="K", help="Write that one of the K best translations which agrees best with the others."),
    ] = 1,
    pop_limit: PopLimit = 200,
    max_span: DecodeSpan = 10,
    threads: Threads = 1,
    quiet: Quiet = False,
) -> None:
    """Translate standard input, one sentence a line, to standard output.

    binyan mt translate ende --threads 2 < test.en > test.out
    """
    from binyan.errors import SettingsError
    from binyan.text import Preparation
    from binyan.translation import DecoderSettings, Grammar, read_grammar
    from binyan.translation.system import System, batches

    if format not in ("moses", "cdec", "json"):
        raise SettingsError(f"n-best lists are written as moses, cdec or json, not {format!r}")
    system = System(folder)
    prepare = Preparation() if raw else system.settings.source_preparation
    own = None
    if grammar is not None:
        own = Grammar.load(grammar) if grammar_format == "packed" else read_grammar(grammar, grammar_format)
    with plain_warnings():
        settings = DecoderSettings(max_span, pop_limit, consensus=consensus)
        decoder = system.decoder(weights, lm or [], settings, own)
        done = 0
        for some in batches(_prepared(prepare), batch):
            if nbest:
                lists = decoder.k_best(some, nbest, distinct=True, threads=threads, progress=False if quiet else None)
                _write_lists(lists, decoder.feature_names, done, format)
            else:
                for hypothesis in decoder.translate(some, threads, False if quiet else None):
                    sys.stdout.write(" ".join(hypothesis.words) + "\n")
            sys.stdout.flush()
            done += len(some)


def _prepared(prepare: Preparation) -> Iterator[list[str]]:
    from binyan.errors import InputError

    for number, line in enumerate(iter(sys.stdin.buffer.readline, b""), 1):
        try:
            yield prepare(line.decode("utf-8").rstrip("\r\n"))
        except UnicodeDecodeError as error:
            raise InputError(f"<stdin>:{number}: not UTF-8") from error


def _write_lists(lists: HypothesisLists, names: tuple[str, ...], first: int, format: str) -> None:
    from binyan.translation.nbest import FORMATS, Entry

    for h in range(len(lists.score)):
        number, text = str(first + int(lists.sentence[h])), " ".join(lists.text(h))
        features = {n: [float(v)] for n, v in zip(names, lists.features[h], strict=True)}
        rest: dict[str, Any] = {"fields": {"id": number, "text": text}}
        sys.stdout.write(FORMATS[format].write(Entry(number, text, features, float(lists.score[h]), rest)) + "\n")
