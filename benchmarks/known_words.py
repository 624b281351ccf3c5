"""What analysed words and known affixes bring: border F1 and roots on the other words of gold lists.

Analysed words are drawn at random, and the words that are scored are the same for each number of them. Affixes are those of the gold
analyses that occur `--affix-uses` times or more; in a list without labels the longest segment of a word counts as its stem.

    python benchmarks/known_words.py BW.tsv.xz:root-template turkish.tsv:affixes --plots figures --tsv figures
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from binyan import Morphology
from binyan.evaluation.gold import GoldWord, read_gold
from binyan.evaluation.morphology import BestAnalyses
from binyan.evaluation.roots import strong_roots
from binyan.evaluation.table import Chart, Column, Table, write_tables
from binyan.segmentation import Part


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


def learn(
    gold: Sequence[GoldWord], scored: Sequence[GoldWord], options: argparse.Namespace, seed: int, **given: Any
) -> dict:
    """Learn from all words, and score those that nothing was known of."""
    begin = time.perf_counter()
    settings = {"sweeps": options.sweeps, "chains": options.chains, "seed": seed, **given}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Morphology(**settings).fit([word.word for word in gold], progress=False)
    analysed = BestAnalyses.of(model, scored)
    roots = analysed.roots(3)
    return {
        "f1": analysed.segmentation().f1,
        "roots": roots.accuracy if roots.evaluated and model.grammar.with_role("root") else None,
        "strength": model.knowledge.strength,
        "seconds": time.perf_counter() - begin,
        "signature": str(model.signature()),
    }


def measure(source: str, options: argparse.Namespace) -> Iterator[dict]:
    """The figures of one gold list, a row for each seed and amount of knowledge."""
    path, _, grammar = source.rpartition(":")
    gold = read_gold(Path(path))
    random.Random(options.sample_seed).shuffle(gold)
    gold = gold[: options.words]
    name = Path(path).name.split(".")[0]
    for seed in options.seeds:
        order = random.Random(seed).sample(gold, min(max(options.known, default=0), len(gold) // 2))
        taken = {word.word for word in order}
        scored = [word for word in gold if word.word not in taken]
        has_roots = bool(Morphology(grammar).grammar.with_role("root"))
        for number in options.known:
            known = rows_of(order[:number], has_roots) or None
            row = learn(gold, scored, options, seed, grammar=grammar, known=known)
            yield {
                "list": name,
                "grammar": grammar,
                "given": "words",
                "amount": min(number, len(order)),
                "seed": seed,
                **row,
            }
        affixes = affix_list(gold, options.affix_uses)
        for strength in options.strengths:
            wanted = {"affix_strength": None if strength < 0 else strength, "affixes": affixes}
            row = learn(gold, scored, options, seed, grammar=grammar, **wanted)
            given = "chosen" if strength < 0 else "affixes"
            yield {"list": name, "grammar": grammar, "given": given, "amount": row["strength"], "seed": seed, **row}


def summary(rows: Sequence[dict], given: str) -> Table:
    """Means over the seeds."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        if row["given"] == given:
            groups.setdefault((row["list"], row["grammar"], row["amount"]), []).append(row)
    cells = []
    for (name, grammar, amount), of in groups.items():
        f1 = [row["f1"] for row in of]
        roots = [row["roots"] for row in of if row["roots"] is not None]
        spread = statistics.stdev(f1) if len(f1) > 1 else None
        seconds = statistics.mean(row["seconds"] for row in of)
        root = statistics.mean(roots) if roots else None
        cells.append([name, grammar, amount, statistics.mean(f1), spread, root, len(of), seconds])
    column = "analysed words" if given == "words" else "strength"
    formats = {"f1": ".1f", "sd": ".1f", "roots": ".1f", "seeds": "d", "seconds": ".0f"}
    names = ["list", "grammar", column, *formats]
    titles = {"words": "What analysed words bring", "affixes": "What known affixes bring, by their strength"}
    title = titles.get(given, "Known affixes with the strength that is chosen")
    chart = (
        Chart("lines", column, ["f1"], series="list", y_title="border F1 on the other words")
        if given in titles
        else None
    )
    return Table(title, [Column(n, formats.get(n, "")) for n in names], cells, rows[0]["signature"], chart=chart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", metavar="GOLD:GRAMMAR", help="gold file and the grammar to learn it with")
    parser.add_argument("--known", type=int, nargs="*", default=[0, 10, 50, 200], help="numbers of analysed words")
    parser.add_argument("--strengths", type=int, nargs="*", default=[0, 1, 3, 10, 30, 100, -1], help="-1: chosen")
    parser.add_argument("--affix-uses", type=int, default=5, help="known affixes occur so often in the gold analyses")
    parser.add_argument("--words", type=int, default=3000)
    parser.add_argument("--sample-seed", type=int, default=1, help="which words of a longer list are taken")
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--chains", type=int, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--tsv", type=Path, help="folder for the tables")
    parser.add_argument("--plots", type=Path, help="folder for the drawings")
    options = parser.parse_args()
    rows: list[dict] = []
    for source in options.lists:
        for row in measure(source, options):
            rows.append(row)
            shown = {name: round(v, 1) if isinstance(v, float) else v for name, v in row.items() if name != "signature"}
            print(*(f"{name}={value}" for name, value in shown.items()), flush=True)
    tables = {
        given: summary(rows, given)
        for given in ("words", "affixes", "chosen")
        if any(r["given"] == given for r in rows)
    }
    for table in tables.values():
        print(table.terminal(120))
    write_tables({f"known_{given}": table for given, table in tables.items()}, options.tsv, options.plots)


if __name__ == "__main__":
    main()
