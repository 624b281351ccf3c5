"""Translation with and without new words: BLEU, chrF, compounds, unknown words, and what was offered, written and right.

    python benchmarks/new_words.py --source train.en --target train.de --dev val.en val.de --test test.en test.de \\
        --languages en de --out folder --compounds compounds.tsv

Every step leaves a file in --out, and the same command resumes: the system (`mt`), weights tuned without and with new words, each
--repetitions times, and translations. --dev-lines tunes on the first lines only. Significance, and the counts of new words, are of the weights that
tuned best.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from binyan import Translator
from binyan.evaluation.translation import evaluate_translations
from binyan.files import replacing, write_json
from binyan.text import read_lines
from binyan.translation.new_word_learning import NewWordRecipe
from binyan.translation.system_folder import SystemSettings
from binyan.translation.tuning import mean_and_deviation


def main() -> None:
    """Make, tune, translate, compare."""
    a = arguments()
    out = Path(a.out)
    recipe = NewWordRecipe(source_map=a.source_map, target_map=a.target_map, splitter=a.splitter)
    bitext = {"source_language": a.languages[0], "target_language": a.languages[1], "lowercase": True}
    translator = Translator(**bitext, system=SystemSettings(a.order))
    translator.fit(
        a.source,
        a.target,
        out / "mt",
        alignment_files=a.alignment or (),
        only_for=[a.dev[0], a.test[0]] if a.only_for else (),
        monolingual=a.monolingual or (),
        new_words=recipe,
    )
    dev = [[line for _, line in read_lines(path)][: a.dev_lines] for path in a.dev]
    outputs = {}
    for name in ("without", "with"):
        tuned = translator.tune(
            *dev,
            name=name,
            new_words=name == "with",
            repetitions=a.repetitions,
            rounds=a.rounds,
            k=a.k,
            pop_limit=a.tuning_pop_limit,
        )
        best = max(range(a.repetitions), key=lambda n: tuned.bleu[n])
        order = [best, *(n for n in range(a.repetitions) if n != best)]
        outputs[name] = [translated(translator, out, f"{name}-{n + 1}", a.test[0]) for n in order]
    report(a, translator, outputs)


def translated(translator: Translator, out: Path, name: str, source: str) -> list[str]:
    """The translation of the test text with the weights of a name, from its file if that is there."""
    path = out / f"{name}.txt"
    if not path.exists():
        weights = translator.folder / f"{name}.json"
        started = time.process_time()
        lines = translator.using(weights=weights).translate(Path(source))
        print(f"{name}: {time.process_time() - started:.1f} processor seconds to translate", flush=True)
        with replacing(path) as part:
            part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8").splitlines()


def report(a: argparse.Namespace, translator: Translator, outputs: dict[str, list[list[str]]]) -> None:
    """Print the figures, and write them to report.json; those of the tunings as means and deviations, the rest of the best ones."""
    prepare = translator.recipe.bitext.target
    reference = [" ".join(prepare(line)) for _, line in read_lines(a.test[1])]
    figures: dict[str, Any] = {}
    for name, texts in outputs.items():
        scored = [evaluate_translations(text, [reference], compounds=a.compounds) for text in texts]
        rows = {"BLEU": [s["BLEU"] for s in scored], "chrF2": [s["chrF2"] for s in scored]}
        if a.compounds:
            own = [s.compounds.scores["system"] for s in scored if s.compounds]
            rows |= {
                "compound precision": [100 * c.precision for c in own],
                "compound recall": [100 * c.recall for c in own],
            }
        figures[name] = {row: {"values": v, "mean and deviation": mean_and_deviation(v)} for row, v in rows.items()}
    compared = evaluate_translations(
        outputs["with"][0], [reference], baseline=outputs["without"][0], compounds=a.compounds, examples=40
    )
    counted = translator.using(weights=translator.folder / "with.json").report_new_words(
        Path(a.test[0]), Path(a.test[1]), examples=100
    )
    for name, rows in figures.items():
        for row, figure in rows.items():
            mean, deviation = figure["mean and deviation"]
            print(f"{name}, {row}: {mean:.2f} ± {deviation:.2f}")
    print(compared, counted, sep="\n")
    content = {"tunings": figures, **compared.to_dict(), "new_words": counted.to_dict()}
    write_json(Path(a.out) / "report.json", content)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--dev", nargs=2, required=True)
    parser.add_argument("--test", nargs=2, required=True)
    parser.add_argument("--languages", nargs=2, default=("en", "de"))
    parser.add_argument("--out", required=True)
    parser.add_argument("--alignment", nargs="*")
    parser.add_argument("--only-for", action="store_true", help="extract only rules that dev and test can use")
    parser.add_argument("--monolingual", nargs="*")
    parser.add_argument("--compounds")
    parser.add_argument("--splitter")
    parser.add_argument("--source-map", default="own")
    parser.add_argument("--target-map", default="own")
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--dev-lines", type=int, default=None)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--tuning-pop-limit", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    main()
