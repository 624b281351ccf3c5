"""What analysed words and known affixes bring: border F1 and roots on the other words of every gold list of a data folder.

Analysed words are drawn at random, and the words that are scored are the same for each number of them. Affixes are those of the gold
analyses that occur `--affix-uses` times or more; in a list without labels the longest segment of a word counts as its stem. With
`--wrong-affixes 0.5`, half as many beginnings and ends of words are added that are no affixes. At most half of the words of a list are
analysed. Each measurement is one small JSON file in the folder `runs` of --out; what is there is not measured again. The tables and
drawings are in --out.

    python benchmarks/known_words.py --data .../data --out known --words 800 --sweeps 40 --seeds 1
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gold_lists import GOLD_FILES, GoldFile, read_gold_file

from binyan import Morphology
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.morphology import BestAnalyses
from binyan.evaluation.roots import strong_roots
from binyan.evaluation.table import Chart, Column, Table, write_tables
from binyan.files import write_text
from binyan.segmentation import Part

GRAMMARS = {
    "arabic-bw": "root-template",
    "arabic-bwv": "root-template-vocalised",
    "arabic-quran": "root-template-vocalised",
    "hebrew": "root-template-vocalised",
    "tagalog": "infix",
}
TOLERANCES = (0.0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 1.0)


def rows_of(words: Sequence[GoldWord], with_roots: bool) -> list[tuple[str, str, str]]:
    """Gold words as rows of a file of known words; roots only where the stem shows them."""
    rows = []
    for word in words:
        analyses = ";".join(
            " ".join(f"{part.text}/{part.label}" if part.label else part.text for part in s.parts)
            for s in word.segmentations
        )
        roots = [root for n in (3, 4) for root in strong_roots(word, n)] if with_roots else []
        rows.append((word.word, analyses, ";".join(roots) or "_"))
    return rows


def affix_list(words: Sequence[GoldWord], least_uses: int) -> list[str]:
    """The affixes of the gold analyses that are used often, as lines of a file of affixes."""
    counts: Counter[str] = Counter()
    for word in words:
        counts.update(_affixes(word.segmentations[0].parts))
    return sorted(affix for affix, uses in counts.items() if uses >= least_uses)


def _affixes(parts: Sequence[Part]) -> Iterator[str]:
    labelled = any(part.label for part in parts)
    stems = [i for i, part in enumerate(parts) if part.label == "stem"]
    if not labelled:
        stems = [max(range(len(parts)), key=lambda i: len(parts[i].text))]
    for i, part in enumerate(parts):
        if (
            i in stems
            or not part.text.strip("-–‐")
            or not stems
            or (labelled and part.label not in ("pre", "suf", "inf"))
        ):
            continue
        before, after = i > min(stems), i < max(stems)
        yield ("-" if before else "") + part.text + ("-" if after else "")


def wrong_affixes(words: Sequence[GoldWord], right: Sequence[str], share: float) -> list[str]:
    """Beginnings and ends of random words that are no affixes: as many as this share of the right ones, and as long as they are."""
    draw = random.Random(1)
    affixes = {affix for word in words for affix in _affixes(word.segmentations[0].parts)}
    simple = [affix for affix in right if not (affix.startswith("-") and affix.endswith("-"))]
    wrong: set[str] = set()
    for _ in range(1000 * len(simple)):
        if len(wrong) >= share * len(right):
            break
        model, word = draw.choice(simple), draw.choice(words).word
        letters = len(model) - 1
        wrong |= {f"-{word[-letters:]}" if model.startswith("-") else f"{word[:letters]}-"} - affixes
    return sorted(wrong)


def learn(
    words: Sequence[str], scored: Sequence[GoldWord], options: argparse.Namespace, seed: int, **given: Any
) -> dict[str, Any]:
    """Learn from all words, and score those that nothing was known of."""
    begin = time.process_time()
    settings = {"sweeps": options.sweeps, "chains": options.chains, "seed": seed, **given}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Morphology(**settings).fit(words, progress=False)
    analysed = BestAnalyses.of(model, scored)
    roots = analysed.roots(3)
    bits = model.knowledge.strength_bits or {}
    return {
        "f1": analysed.segmentation().f1,
        "roots": roots.accuracy if roots.evaluated and model.grammar.with_role("root") else None,
        "strength": model.knowledge.strength,
        "bits": {str(strength): value for strength, value in bits.items()},
        "cpu_seconds": time.process_time() - begin,
        "signature": str(model.signature()),
    }


def measure(gold_file: GoldFile, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The figures of one gold list, a row for each seed and amount of knowledge."""
    grammar = GRAMMARS.get(gold_file.name, "affixes")
    words = read_gold_file(options.data / "words", gold_file, options.words)
    gold = [*words.development, *words.report]
    has_roots = bool(Morphology(grammar).grammar.with_role("root"))
    affixes = affix_list(gold, options.affix_uses)
    affixes += wrong_affixes(gold, affixes, options.wrong_affixes)
    for seed in range(1, options.seeds + 1):
        order = random.Random(seed).sample(gold, min(max(options.known, default=0), len(gold) // 2))
        taken = {word.word for word in order}
        scored = [word for word in gold if word.word not in taken]

        def run(given: str, amount: int, seed: int = seed, scored: Sequence[GoldWord] = scored, **known: Any) -> dict:
            row = {"list": gold_file.name, "grammar": grammar, "given": given, "amount": amount, "seed": seed}
            row |= {"words": len(words.learn), "sweeps": options.sweeps, "scored": len(scored)}
            row |= {"wrong_affixes": options.wrong_affixes} if options.wrong_affixes else {}
            path = options.out / "runs" / f"{gold_file.name}.{given}-{amount}.{seed}.json"
            return stored(path, row, lambda: learn(words.learn, scored, options, seed, grammar=grammar, **known))

        for number in options.known:
            yield run("words", number, known=rows_of(order[:number], has_roots) or None)
        for strength in options.strengths if affixes else ():
            yield run("affixes", strength, affix_strength=strength, affixes=affixes)
        if options.strengths and affixes:
            yield run("chosen", 0, affixes=affixes)


def stored(path: Path, settings: dict[str, Any], measurement: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What was measured with these settings before, or else now."""
    if path.exists():
        row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if row.items() >= settings.items():
            return row
    row = settings | measurement()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(row, ensure_ascii=False, indent=1))
    print(path.stem, f"F1 {row['f1']:.1f}", f"{row['cpu_seconds']:.0f} s", flush=True)
    return row


def greatest_within(bits: Mapping[int, float], tolerance: float) -> int:
    """The greatest strength above 0 that takes at most so much more than the fewest bits, as a share of them."""
    above = {strength: value for strength, value in bits.items() if strength > 0}
    allowed = min(above.values()) * (1 + tolerance)
    return max(strength for strength, value in above.items() if value <= allowed)


def tolerance_table(rows: Sequence[dict[str, Any]]) -> Table:
    """F1 of each list under the strength that each tolerance chooses, and under the tolerance that is best on the other lists."""
    f1: dict[str, dict[float, float]] = {}
    for name in dict.fromkeys(row["list"] for row in rows if row["given"] == "chosen"):
        of_list = [row for row in rows if row["list"] == name]
        by_strength = {(row["amount"], row["seed"]): row["f1"] for row in of_list if row["given"] == "affixes"}
        bits = [
            (row["seed"], {int(s): b for s, b in row["bits"].items() if (int(s), row["seed"]) in by_strength})
            for row in of_list
            if row["given"] == "chosen" and row["bits"]
        ]
        f1[name] = {
            t: statistics.mean(by_strength[greatest_within(b, t), seed] for seed, b in bits) for t in TOLERANCES if bits
        }
    f1 = {name: values for name, values in f1.items() if values}

    def best_elsewhere(left_out: str) -> float:
        others = [values for name, values in f1.items() if name != left_out]
        return max(TOLERANCES, key=lambda t: sum(values[t] for values in others))

    cells: list[list[Any]] = []
    for name, values in f1.items():
        other = best_elsewhere(name)
        cells.append([name, *values.values(), f"{other:.3g}", values[other]])
    means = [statistics.mean(column) for column in zip(*(values.values() for values in f1.values()), strict=True)]
    cells.append(["mean", *means, "", statistics.mean(row[-1] for row in cells)])
    columns = [Column("list"), *(Column(f"{t:.3g}", ".1f") for t in TOLERANCES)]
    columns += [Column("best elsewhere"), Column("left out", ".1f")]
    title = "Border F1 by the tolerance of the strength, and by the one that is best on the other lists"
    return Table(title, columns, cells, rows[0]["signature"])


def summary(rows: Sequence[dict], given: str) -> Table:
    """Means over the seeds."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        if row["given"] == given:
            amount = row["strength"] if given == "chosen" else row["amount"]
            groups.setdefault((row["list"], row["grammar"], amount), []).append(row)
    cells = []
    for (name, grammar, amount), of in groups.items():
        f1 = [row["f1"] for row in of]
        roots = [row["roots"] for row in of if row["roots"] is not None]
        spread = statistics.stdev(f1) if len(f1) > 1 else None
        seconds = statistics.mean(row["cpu_seconds"] for row in of)
        root = statistics.mean(roots) if roots else None
        cells.append([name, grammar, amount, statistics.mean(f1), spread, root, len(of), seconds])
    column = "analysed words" if given == "words" else "strength"
    formats = {"f1": ".1f", "sd": ".1f", "roots": ".1f", "seeds": "d", "seconds": ".0f"}
    names = ["list", "grammar", column, *formats]
    titles = {
        "words": "What analysed words bring, by their number",
        "affixes": "What known affixes bring, by their strength",
    }
    title = titles.get(given, "Known affixes with the strength that is chosen")
    drawn = Chart("bars", "list", ["f1"], series=column, y_title="border F1 on the other words")
    chart = drawn if given in titles else None
    return Table(title, [Column(n, formats.get(n, "")) for n in names], cells, rows[0]["signature"], chart=chart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the data folder; gold lists are in its folder words")
    parser.add_argument("--out", type=Path, required=True, help="the folder for measurements, tables and drawings")
    parser.add_argument("--only", nargs="+", default=[], choices=[g.name for g in GOLD_FILES], metavar="LIST")
    parser.add_argument("--known", type=int, nargs="*", default=[0, 10, 50, 200], help="numbers of analysed words")
    parser.add_argument("--strengths", type=int, nargs="*", default=[0, 1, 3, 10, 30, 100])
    parser.add_argument("--affix-uses", type=int, default=5, help="known affixes occur so often in the gold analyses")
    parser.add_argument("--wrong-affixes", type=float, default=0.0, metavar="SHARE", help="add so many that are wrong")
    parser.add_argument("--words", type=int, default=3000, help="words of each list, the same each time")
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--chains", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3, help="so many runs of each amount of knowledge")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for gold_file in GOLD_FILES:
        if not options.only or gold_file.name in options.only:
            rows += measure(gold_file, options)
    given = [name for name in ("words", "affixes", "chosen") if any(row["given"] == name for row in rows)]
    tables = {f"known_{name}": summary(rows, name) for name in given}
    if "chosen" in given:
        tables["known_tolerance"] = tolerance_table(rows)
    for table in tables.values():
        print(table.terminal(140))
    write_tables(tables, options.out, options.out)


if __name__ == "__main__":
    main()
