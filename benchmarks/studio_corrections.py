"""What corrections in the studio are worth: a simulated reviewer who knows the gold analyses, in the order offered and at random.

    python benchmarks/studio_corrections.py GOLD.tsv --grammar root-template --words 1500 --out corrections.tsv --plot corrections.png

GOLD has rows of word, segments and root. The reviewer corrects words in batches; after each batch learning goes on with her decisions as
evidence. Figures are of words that no reviewer touched: F1 of borders, words wholly right, roots. Words in both orders are the same.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import warnings
from pathlib import Path

from binyan.evaluation.gold import GoldWord, read_gold
from binyan.studio.accuracy import compare
from binyan.studio.decisions import Decision
from binyan.studio.learning import Learner
from binyan.studio.project import Project
from binyan.studio.word_queries import WordQueries
from binyan.studio.word_store import Reading

BATCHES = (10, 15, 25, 50, 50, 50)
"""Words corrected at a time: 10, 25, 50, 100, 150 and 200 in all."""


def learn(project: Project, grammar: str, sweeps: int, seed: int) -> int:
    """One run; its number."""
    run = project.runs.add("learn", {"grammar": grammar, "sweeps": sweeps, "chains": 2, "seed": seed}, "reviewer")
    record = project.runs.claim()
    assert record is not None
    Learner(project, record).learn()
    project.runs.end(run, "done")
    return run


def correct(project: Project, words: list[str], gold: dict[str, GoldWord]) -> None:
    """The reviewer decides on words."""
    versions = project.facts.versions("decision", words)
    items = [{"word": w, "base": versions[w], "kind": "draw", **decision(gold[w]).to_dict()} for w in words]
    project.decide(items, "reviewer")


def decision(word: GoldWord) -> Decision:
    """The gold analysis as a decision."""
    return Decision(word.segmentations[0], word.roots[0] if word.roots else None)


def next_words(project: Project, run: int, order: str, count: int, rng: random.Random) -> list[str]:
    """The words that the reviewer sees next."""
    if order == "offered":
        return [row["text"] for row in WordQueries(project.database).offered(run, count)["rows"]]
    open_words = [w for w in project.word_list().words if w not in project.decisions()]
    return rng.sample(open_words, count)


def review(
    gold: dict[str, GoldWord], order: str, grammar: str, sweeps: int, more: int, seed: int
) -> list[tuple[int, dict[str, tuple[str | None, str | None]], set[str]]]:
    """A whole review: after each batch, how many words were corrected, what the model says of all words, and which were touched."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        project = Project(folder)
        project.add_reading(Reading("gold", "words", dict.fromkeys(gold, 1)), "reviewer")
        rng = random.Random(seed)
        run = learn(project, grammar, sweeps, seed)
        steps = [(0, answers(project, run), set[str]())]
        for size in BATCHES:
            correct(project, next_words(project, run, order, size, rng), gold)
            run = learn(project, grammar, more, seed)
            touched = set(project.decisions())
            steps.append((len(touched), answers(project, run), touched))
        project.close()
        return steps


def answers(project: Project, run: int) -> dict[str, tuple[str | None, str | None]]:
    """What a run says of every word: segmentation and root."""
    rows = project.database.rows(
        "SELECT text, segmentation, root FROM analyses JOIN words ON id = word_id WHERE run_id = ?", run
    )
    return {row["text"]: (row["segmentation"], row["root"]) for row in rows}


def table(
    gold: dict[str, GoldWord], reviews: dict[str, list[tuple[int, dict[str, tuple[str | None, str | None]], set[str]]]]
) -> list[dict[str, object]]:
    """Figures on the words that nobody touched in any review."""
    touched = set().union(*(step[2] for steps in reviews.values() for step in steps))
    left = {word: decision(entry) for word, entry in gold.items() if word not in touched}
    return [
        {"order": order, "corrected": count, **compare({w: found[w] for w in left if w in found}, left)}
        for order, steps in reviews.items()
        for count, found, _ in steps
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--grammar", default="root-template")
    parser.add_argument("--words", type=int, default=1500)
    parser.add_argument("--sweeps", type=int, default=100, help="before the first correction")
    parser.add_argument("--more", type=int, default=30, help="sweeps after each batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    listed = read_gold(options.gold)
    random.Random(options.seed).shuffle(listed)
    gold = {entry.word: entry for entry in listed[: options.words]}
    reviews = {
        order: review(gold, order, options.grammar, options.sweeps, options.more, options.seed)
        for order in ("offered", "random")
    }
    rows = table(gold, reviews)
    names = ["order", "corrected", "words", "precision", "recall", "f1", "whole", "roots"]
    lines = ["\t".join(names)]
    lines += [
        "\t".join(f"{row.get(n, ''):.4f}" if isinstance(row.get(n), float) else str(row.get(n, "")) for n in names)
        for row in rows
    ]
    print("\n".join(lines))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.plot:
        draw(rows, options.plot)


def draw(rows: list[dict[str, object]], path: Path) -> None:
    """F1 and roots against corrections, one line per order."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    measures = [m for m in ("f1", "roots") if m in rows[0]]
    figure, axes = pyplot.subplots(1, len(measures), figsize=(4.5 * len(measures), 3), squeeze=False)
    for axis, measure in zip(axes[0], measures, strict=True):
        for order, style in (("offered", "o-"), ("random", "s--")):
            points = [(r["corrected"], 100 * float(str(r[measure]))) for r in rows if r["order"] == order]
            axis.plot(*zip(*points, strict=True), style, label=order)
        axis.set(
            xlabel="words corrected",
            ylabel={"f1": "F1 of borders, untouched words", "roots": "roots right, %"}[measure],
        )
        axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
