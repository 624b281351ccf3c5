"""`binyan mt`: alignment, rules, tuning, translation and evaluation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import mt_new_words
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.options import Json, Quiet
from binyan.cli.output import plain_warnings, print_result, standard_input
from binyan.evaluation.translation import EvaluationSettings
from binyan.translation.alignment import AlignmentSettings
from binyan.translation.bitext import BitextSettings
from binyan.translation.bitext_cleaning import CleaningSettings
from binyan.translation.decoder import SearchSettings, TranslationSettings
from binyan.translation.new_word_learning import NewWordRecipe
from binyan.translation.rule_extraction import ExtractionLimits
from binyan.translation.system_folder import SystemSettings
from binyan.translation.tuning import TuningSettings

app = App(help="Translate with a hierarchical decoder that takes any language model.", no_args_is_help=True)

Source = Annotated[Path, typer.Option(help="Source text, one sentence per line (plain, gz, xz).")]
Target = Annotated[Path, typer.Option(help="Its translation, line by line.")]
OnlyFor = Annotated[
    list[Path] | None, typer.Option("--for", metavar="F", help="Keep only rules that these source texts can use.")
]
Models = Annotated[
    list[Path] | None,
    typer.Option("--lm", metavar="M", help="A language model file; may be repeated. Default: the system's own."),
]
Threads = Annotated[int, typer.Option(help="Sentences translated at the same time; the output does not depend on it.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A system made by 'binyan mt train'.")]


@app.command()
@with_settings
def align(
    *,
    source: Source,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the alignment is written (Pharaoh format).")],
    alignment: AlignmentSettings,
    forward: Annotated[
        Path | None, typer.Option(help="With --backward: a Pharaoh file, instead of running eflomal.")
    ] = None,
    backward: Annotated[
        Path | None, typer.Option(help="The other direction; its links, too, are source-target.")
    ] = None,
    bitext: BitextSettings,
) -> None:
    """Align words with eflomal in both directions and combine the two.

    binyan mt align --source train.en --target train.de --out train.align
    """
    from binyan.errors import SettingsError
    from binyan.translation import Bitext
    from binyan.translation import align as align_words

    if (forward is None) != (backward is None):
        raise SettingsError("--forward and --backward go together")
    directions = (forward, backward) if forward is not None and backward is not None else None
    texts = Bitext.read(source, target, bitext)
    aligned = align_words(texts.source, texts.target, alignment.symmetrisation, directions)
    aligned.write(out)
    typer.echo(str(aligned), err=True)


@app.command()
@with_settings
def extract(
    *,
    source: Source,
    target: Target,
    alignment: Annotated[
        list[Path],
        typer.Option(help="Word alignment in Pharaoh format. May be repeated: rules are counted over all of them."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the rules are written.")],
    only_for: OnlyFor = None,
    format: Annotated[str, typer.Option(help="packed, or as text: cdec or moses.")] = "packed",
    limits: ExtractionLimits,
    bitext: BitextSettings,
    quiet: Quiet = False,
) -> None:
    """Extract hierarchical rules from an aligned bitext.

    binyan mt extract --source train.en --target train.de --alignment train.align --for test.en --out rules.binyan
    """
    from binyan.translation import Alignments, Bitext, extract_rules
    from binyan.translation.bitext import read_words
    from binyan.translation.rule_text import check_written_format, save_rules

    check_written_format(format)
    sentences = [s for path in only_for for s in read_words(path, bitext.source)] if only_for else None
    links = [Alignments.read(path) for path in alignment]
    rules = extract_rules(Bitext.read(source, target, bitext), links, limits, sentences, False if quiet else None)
    save_rules(rules, out, format)
    typer.echo(str(rules), err=True)


@app.command()
@with_settings
def train(
    *,
    source: Source,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder of the system.")],
    alignment: Annotated[
        list[Path] | None, typer.Option(help="Pharaoh file to use instead of eflomal; may be repeated.")
    ] = None,
    only_for: OnlyFor = None,
    monolingual: Annotated[
        list[Path] | None,
        typer.Option(help="More text in the target language, for the language model and new words; may be repeated."),
    ] = None,
    new_words: Annotated[
        bool, typer.Option("--new-words", help="Learn to make words the bitext lacks: compounds, forms, names.")
    ] = False,
    new_word_recipe: NewWordRecipe,
    system: SystemSettings,
    symmetrisation: AlignmentSettings,
    limits: ExtractionLimits,
    cleaning: CleaningSettings,
    bitext: BitextSettings,
    quiet: Quiet = False,
) -> None:
    """Run all steps from a bitext to a system that translates; steps that are already done are not repeated.

    binyan mt train --source train.en --target train.de --source-language en --target-language de --lowercase --out ende
    """
    from binyan import Translator

    translator = Translator(bitext=bitext, alignment=symmetrisation, system=system, limits=limits, cleaning=cleaning)
    with plain_warnings():
        translator.fit(
            source,
            target,
            out,
            alignment_files=alignment or (),
            only_for=only_for or (),
            monolingual=monolingual or (),
            new_words=new_words and new_word_recipe,
            progress=False if quiet else None,
        )
    typer.echo(str(translator.cleaned), err=True)
    typer.echo(f"{translator.rules}; next: binyan mt tune {out} --source F --reference F", err=True)


@app.command()
@with_settings
def tune(
    *,
    folder: Folder,
    source: Source,
    reference: Annotated[list[Path], typer.Option(help="Its translation, line by line; may be repeated.")],
    lm: Models = None,
    repetitions: Annotated[int, typer.Option(help="Tunings with different seeds; mean and deviation are shown.")] = 1,
    name: Annotated[str, typer.Option(help="The weights are written to DIR/NAME.json.")] = "weights",
    new_words: Annotated[
        bool | None,
        typer.Option(help="Make words the bitext lacks; by default if the system can. 'translate' then does the same."),
    ] = None,
    tuning: TuningSettings,
    search: SearchSettings,
    threads: Threads = 1,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tune the weights for BLEU on a text with its translation. Ctrl-C is safe: the same command resumes.

    binyan mt tune ende --source val.en --reference val.de --lm mkn.binyan --repetitions 3
    """
    from binyan import Translator

    with plain_warnings():
        report = Translator.load(folder).tune(
            source,
            reference,
            models=lm or (),
            repetitions=repetitions,
            name=name,
            new_words=new_words,
            threads=threads,
            progress=False if quiet else None,
            tuning=tuning,
            **search.to_dict(),
        )
    print_result(report, json)


@app.command()
@with_settings
def translate(
    *,
    folder: Folder,
    lm: Models = None,
    weights: Annotated[Path | None, typer.Option(help="A file of weights. Default: DIR/weights.json.")] = None,
    grammar: Annotated[Path | None, typer.Option(help="Rules to use instead of the system's.")] = None,
    grammar_format: Annotated[str, typer.Option(help="Format of --grammar: packed, cdec or moses.")] = "packed",
    nbest: Annotated[
        int, typer.Option(metavar="N", help="Write N hypotheses per sentence, in the format of --format.")
    ] = 0,
    format: Annotated[str, typer.Option(help="Format of n-best lists: moses, cdec or json.")] = "moses",
    raw: Annotated[
        bool, typer.Option("--raw", help="The input is already prepared: words are separated by white space only.")
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Lines or JSON objects in, JSON out: translations, word alignment, and the rules that made them.",
        ),
    ] = False,
    batch: Annotated[
        int, typer.Option(help="Lines read before any is translated; 1 if a program waits for each answer.")
    ] = 200,
    decoder: TranslationSettings,
    threads: Threads = 1,
    quiet: Quiet = False,
) -> None:
    """Translate standard input, one sentence per line, to standard output.

    \b
    binyan mt translate ende --threads 2 < test.en > test.out
    echo '{"id": 1, "text": "two dogs run ."}' | binyan mt translate ende --json
    """
    from binyan import Translator
    from binyan.translation.rule_text import open_rules

    rules = open_rules(grammar, grammar_format) if grammar is not None else None
    with plain_warnings():
        system = Translator.load(folder).using(lm or (), weights, rules)
        if json:
            lines = system.answer_lines(
                sys.stdin.buffer, n=max(nbest, 1), prepared=raw, threads=threads, decoder=decoder
            )
        else:
            lines = system.stream(
                standard_input(),
                batch=batch,
                nbest=nbest,
                format=format,
                prepared=raw,
                threads=threads,
                progress=False if quiet else None,
                decoder=decoder,
            )
        for line in lines:
            print(line, flush=json)


@app.command()
@with_settings
def evaluate(
    *,
    hypothesis: Annotated[Path, typer.Option(help="Translations, one per line.")],
    reference: Annotated[list[Path], typer.Option(help="Reference translations; may be repeated.")],
    baseline: Annotated[Path | None, typer.Option(help="Translations of another system, to compare with.")] = None,
    compounds: Annotated[
        Path | None, typer.Option(help="Segmentation table (TSV): words with several parts are compounds.")
    ] = None,
    settings: EvaluationSettings,
    json: Json = False,
) -> None:
    """BLEU and chrF with sacrebleu's signatures; compounds; a paired bootstrap against another system.

    binyan mt evaluate --hypothesis new.de --baseline old.de --reference test.de --compounds compounds.tsv
    """
    from binyan.evaluation.translation import evaluate_translations

    report = evaluate_translations(hypothesis, reference, baseline=baseline, compounds=compounds, settings=settings)
    print_result(report, json)


app.command("new-words")(mt_new_words.new_words)
