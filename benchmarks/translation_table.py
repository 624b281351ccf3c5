"""Translation systems that differ in their language models, made by the commands with their defaults: BLEU, chrF, significance.

    python benchmarks/translation_table.py --data parallel --out results --bitexts multi30k/en-de multi30k/cs-en --models mkn hpylm

`--data` holds the folders multi30k, europarl and libreoffice_help. For each bitext: `mt train`; each model by `lm train`; `mt tune` with
`--repetitions`; the test text translated with each of the tuned weights. BLEU and chrF are means and deviations of the tunings; p is that of a
paired bootstrap against the row before, each with the weights that tuned best. `--systems N` makes N systems whose alignments differ, for
the first model: the deviation over alignments. A run that was interrupted goes on with what is missing; `translation_table.md` has
the table of all that was measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from binyan.evaluation.translation import compound_report, paired_bootstrap, translation_scores
from binyan.files import replacing, write_json
from binyan.segmentation import SegmentationTable
from binyan.text import Preparation, read_lines
from binyan.translation.bitext import read_words
from binyan.translation.tuning import mean_and_deviation

FILES = {  # of training, tuning and test text; {} stands for the language
    "multi30k": ("train.{}.gz", "val.{}.gz", "test_2016_flickr.{}.gz"),
    "europarl": ("par4.train.{}.xz", "par4.dev.{}.xz", "par4.test.{}.xz"),
    "libreoffice_help": ("train.{}.xz", "dev.{}", "test.{}"),
}
BITEXTS = [
    *(f"multi30k/{pair}" for pair in ("en-de", "en-cs", "en-fr", "cs-en", "de-en")),
    *(f"libreoffice_help/{pair}" for pair in ("en-ru", "en-cs")),
    *(f"europarl/{pair}" for pair in ("en-de", "en-es", "en-fr")),
]


@dataclass(frozen=True)
class Model:
    """A language model as `lm train` makes it: its kind and options. German ones take the table of compounds."""

    kind: str
    options: Sequence[str] = ()
    needs_dev: bool = False
    of_compounds: bool = False


MODELS = {
    "mkn": Model("mkn", ["--order", "4"]),
    "hpylm": Model("hpylm", ["--order", "4"]),
    "hpylm+c right": Model("hpylm+c", ["--order", "4", "--head", "right"], of_compounds=True),
    "hpylm+c left": Model("hpylm+c", ["--order", "4", "--head", "left"], of_compounds=True),
    "hpylm+g": Model("hpylm+g", ["--order", "4"], of_compounds=True),
    "clbl": Model("clbl", needs_dev=True),
    "clbl++": Model("clbl++", needs_dev=True),
}
ROWS = {
    **{name: [name] for name in MODELS if not name.startswith("clbl")},
    "mkn, clbl": ["mkn", "clbl"],
    "mkn, clbl++": ["mkn", "clbl++"],
}


def command(*words: object, stdin: Path | None = None, stdout: Path | None = None) -> str:
    """What a command of the toolkit printed, or nothing where its output goes to a file, which then appears when it is whole."""
    source = stdin.open("rb") if stdin else subprocess.DEVNULL
    run = subprocess.run([sys.executable, "-m", "binyan", *map(str, words)], stdin=source, capture_output=True)
    if run.returncode:
        raise RuntimeError(f"binyan {' '.join(map(str, words))}:\n{run.stderr.decode()[-2000:]}")
    if stdout is None:
        return run.stdout.decode()
    with replacing(stdout) as part:
        part.write_bytes(run.stdout)
    return ""


class System:
    """A bitext's texts, models and system in a folder."""

    def __init__(self, bitext: str, options: argparse.Namespace, number: int = 1) -> None:
        self.bitext, self.options = bitext, options
        self.corpus, _, pair = bitext.partition("/")
        self.source, self.target = pair.split("-")
        self.texts = options.out / self.corpus / pair
        self.folder = self.texts / f"system-{number}"

    def file(self, part: str, side: str) -> Path:
        """A text of the bitext; side is source or target."""
        return self.texts / f"{part}.{side}"

    def prepare(self) -> None:
        """Write the pairs that are taken; pairs that are the same on both sides are untranslated and left out."""
        self.texts.mkdir(parents=True, exist_ok=True)
        limits = dict(zip(("train", "tune", "test"), self.options.first, strict=True))
        for (part, most), name in zip(limits.items(), FILES[self.corpus], strict=True):
            if self.file(part, "target").exists():
                continue
            paths = [self.options.data / self.corpus / name.format(side) for side in (self.source, self.target)]
            lines = zip(*((line for _, line in read_lines(path)) for path in paths), strict=True)
            pairs = list(islice(((s, t) for s, t in lines if s.strip() != t.strip()), most or None))
            for number, side in enumerate(("source", "target")):
                with replacing(self.file(part, side)) as path:
                    path.write_text("".join(f"{pair[number]}\n" for pair in pairs), encoding="utf-8")

    def train(self) -> None:
        """`mt train`, which keeps what is there."""
        texts = ["--source", self.file("train", "source"), "--target", self.file("train", "target")]
        languages = ["--source-language", self.source, "--target-language", self.target, "--lowercase"]
        only = ["--for", self.file("tune", "source"), "--for", self.file("test", "source")]
        command("mt", "train", *texts, *languages, *only, "--quiet", "--out", self.folder)

    def model(self, name: str) -> Path:
        """The file of a language model, trained on the target side if it is missing."""
        model, path = MODELS[name], self.texts / f"{name.replace(' ', '-')}.binyan"
        if not path.exists():
            text = ["--text", self.file("train", "target"), "--tokenise", self.target, "--lowercase"]
            dev = ["--dev", self.file("tune", "target")] if model.needs_dev else []
            german = model.of_compounds and self.target == "de" and self.options.compounds
            parts = ["--segmentation", self.options.compounds] if german else []
            unfinished = path.with_suffix(".unfinished")
            command("lm", "train", model.kind, *text, *model.options, *dev, *parts, "--quiet", "--out", unfinished)
            unfinished.replace(path)
        return path

    def translate(self, row: str) -> list[list[str]]:
        """Translations of the test text, one for each tuning; the one that tuned best is first."""
        name = row.replace(", ", "-").replace(" ", "-")
        models = [word for part in ROWS[row] for word in ("--lm", self.model(part))]
        texts = ["--source", self.file("tune", "source"), "--reference", self.file("tune", "target")]
        repeated = ["--repetitions", self.options.repetitions, "--name", name, *self.options.tuning.split()]
        tuned = json.loads(command("mt", "tune", self.folder, *texts, *models, *repeated, "--json", "--quiet"))
        order = sorted(range(self.options.repetitions), key=lambda n: -tuned["bleu"][n])
        return [self._output(f"{name}-{n + 1}") for n in order]

    def _output(self, name: str) -> list[str]:
        path = self.folder / f"{name}.out"
        if not path.exists():
            weights = ["--weights", self.folder / f"{name}.json", "--quiet"]
            command("mt", "translate", self.folder, *weights, stdin=self.file("test", "source"), stdout=path)
        return path.read_text(encoding="utf-8").splitlines()

    def references(self) -> list[str]:
        """The prepared test text."""
        prepared = Preparation(tokenise=self.target, lowercase=True)
        return [" ".join(words) for words in read_words(self.file("test", "target"), prepared)]


def measure(system: System, row: str, before: list[str] | None) -> dict:
    """The figures of a row; `before` are the translations of the row it is compared with."""
    outputs, references = system.translate(row), system.references()
    result: dict = {"bitext": system.bitext, "models": row, "output": outputs[0]}
    scores = [translation_scores(output, [references]) for output in outputs]
    for n, metric in enumerate(("BLEU", "chrF")):
        values = [score[n].score for score in scores]
        mean, deviation = mean_and_deviation(values)
        result[metric] = {"values": values, "mean": mean, "deviation": deviation, "signature": scores[0][n].signature}
    words = [sum(len(line.split()) for line in text) for text in (outputs[0], references)]
    result["length"] = words[0] / max(1, words[1])
    if before is not None:
        result["p"] = paired_bootstrap(before, outputs[0], [references])[0].p_value
    if system.target == "de" and system.options.compounds:
        table = SegmentationTable.of_any(system.options.compounds)
        result["compounds"] = compound_report(table, outputs[0], references).scores["system"].to_dict()
    return result


def over_alignments(bitext: str, options: argparse.Namespace) -> dict:
    """Mean and deviation of the first model's BLEU over systems whose alignments differ."""
    means = []
    for number in range(1, options.systems + 1):
        system = System(bitext, options, number)
        system.train()
        means.append(measure(system, options.models[0], None)["BLEU"]["mean"])
    mean, deviation = mean_and_deviation(means)
    return {"bitext": bitext, "models": options.models[0], "alignments": means, "mean": mean, "deviation": deviation}


def kept(path: Path, make) -> dict:
    """A result from its file, made and written if it is missing."""
    if not path.exists():
        write_json(path, make())
        print(path, flush=True)
    return json.loads(path.read_text(encoding="utf-8"))


def page(results: Sequence[dict], alignments: Sequence[dict]) -> Iterator[str]:
    """The tables, as Markdown: bitexts as rows and models as columns."""
    cells = {(r["bitext"], r["models"]): r for r in results}
    bitexts, models = (list(dict.fromkeys(key[n] for key in cells)) for n in (0, 1))
    views: dict[str, Callable[[dict], str]] = {
        "BLEU": lambda r: _scores(r, "BLEU") + ("\\*" if r.get("p") is not None and r["p"] < 0.05 else ""),
        "chrF": lambda r: _scores(r, "chrF"),
        "words against the references": lambda r: f"{100 * r['length'] - 100:+.1f} %",
        "compounds: precision, recall": _compounds,
    }
    for title, view in views.items():
        rows = [(b, [view(cells[b, m]) if (b, m) in cells else "" for m in models]) for b in bitexts]
        if not any(any(row) for _, row in rows):
            continue
        yield f"| {title} | {' | '.join(models)} |\n|{'---|' * (len(models) + 1)}"
        yield from (f"| {b} | {' | '.join(row)} |" for b, row in rows if any(row))
        yield ""
    for a in alignments:
        yield f"{a['bitext']}, {a['models']}, over {len(a['alignments'])} alignments: {a['mean']:.2f} ± {a['deviation']:.2f}\n"
    yield "\\*: p < 0.05 against the column before. " + ", ".join(
        dict.fromkeys(r[m]["signature"] for r in results for m in ("BLEU", "chrF"))
    )


def _scores(result: dict, metric: str) -> str:
    return f"{result[metric]['mean']:.2f} ± {result[metric]['deviation']:.2f}"


def _compounds(result: dict) -> str:
    if "compounds" not in result:
        return ""
    return ", ".join(f"{100 * result['compounds'][kind]:.1f}" for kind in ("precision", "recall"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, bitext by bitext, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bitexts", nargs="+", default=BITEXTS)
    parser.add_argument("--models", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--systems", type=int, default=1, help="systems whose alignments differ")
    parser.add_argument("--tuning", default="", help="further options of mt tune, such as --tuning='--rounds 6'")
    parser.add_argument("--first", type=int, nargs=3, default=[0, 0, 0], help="pairs of train, tune and test (0: all)")
    parser.add_argument("--compounds", type=Path, help="segmentation of German compounds (TSV)")
    options = parser.parse_args(arguments)
    results, alignments = [], []
    for bitext in options.bitexts:
        system, before = System(bitext, options), None
        system.prepare()
        system.train()
        for row in options.models:
            path = system.texts / f"{row.replace(', ', '-').replace(' ', '-')}.json"
            results.append(kept(path, lambda row=row, system=system, before=before: measure(system, row, before)))
            before = results[-1]["output"]
        if options.systems > 1:
            path = system.texts / f"alignments-{options.systems}.json"
            alignments.append(kept(path, lambda bitext=bitext: over_alignments(bitext, options)))
    text = "\n".join(page(results, alignments)) + "\n"
    (options.out / "translation_table.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
