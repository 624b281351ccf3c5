"""Translation with and without new words: BLEU, chrF, compounds, unknown words, and what was offered, written and right.

    python benchmarks/new_words.py --source train.en --target train.de --dev val.en val.de --test test.en test.de \\
        --languages en de --out folder --compounds compounds.tsv

Every step leaves a file in --out, and the same command resumes: the system (`mt`), weights tuned without and with new words, and
translations. --dev-lines tunes on the first lines only.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from binyan import Translator
from binyan.evaluation.translation import evaluate_translations
from binyan.text import read_lines
from binyan.translation.new_word_learning import NewWordRecipe
from binyan.translation.system_folder import SystemSettings


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
        weights = out / "mt" / f"{name}.json"
        if not weights.exists():
            translator.tune(*dev, name=name, new_words=name == "with", rounds=a.rounds, k=a.k, pop_limit=a.pop_limit)
        outputs[name] = out / f"{name}.txt"
        if not outputs[name].exists():
            lines = translator.using(weights=weights).translate(Path(a.test[0]), pop_limit=a.pop_limit)
            outputs[name].write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(a, translator, outputs)


def report(a: argparse.Namespace, translator: Translator, outputs: dict[str, Path]) -> None:
    """Print the figures, and write them to report.json."""
    prepare = translator.recipe.bitext.target
    reference = [" ".join(prepare(line)) for _, line in read_lines(a.test[1])]
    compared = evaluate_translations(
        outputs["with"], [reference], baseline=outputs["without"], compounds=a.compounds, examples=40
    )
    counted = translator.using(weights=translator.folder / "with.json").report_new_words(
        Path(a.test[0]), Path(a.test[1]), examples=60, pop_limit=a.pop_limit
    )
    print(compared, counted, sep="\n")
    content = json.dumps({**compared.to_dict(), "new_words": counted.to_dict()}, indent=1, ensure_ascii=False)
    (Path(a.out) / "report.json").write_text(content, encoding="utf-8")


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
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--pop-limit", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    main()
