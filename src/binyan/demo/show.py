"""`make demo`: the three families of models on embedded data, in two minutes, with a report at the end."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from binyan import datasets
from binyan.datasets import GermanText, SemiticWord
from binyan.demo import vectors
from binyan.errors import MissingExtra
from binyan.evaluation import HeldOutText, Table, evaluate, summary
from binyan.evaluation.table import Cell, Column
from binyan.experiments import report_page
from binyan.experiments.report_page import ReportSection
from binyan.language_model import LanguageModel
from binyan.morphology import Morphology
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey
from binyan.sampling import Schedule
from binyan.text import Corpus

Say = Callable[[str], None]

_SWEEPS, _MORPHOLOGY_SWEEPS = 100, 200
_GRAMMAR = "tpl+t4"


def demonstrate(folder: Path, seed: int = 1, say: Say = print) -> Path:
    """Make data, models and a report in `folder`; returns the report."""
    text, words = datasets.write(folder, seed)
    say(
        f"1. Data of our own making, in {folder}/: {len(text.train):,} German-like sentences, {len(words):,} Arabic-like words.\n"
    )
    sections = [*compounds(folder, text, seed, say), roots(folder, words, seed, say), _next_steps(folder)]
    _, page = report_page.write(folder, "Binyan: a demonstration", sections)
    say(f"\nThe report: {page}")
    say("\nNext, on your own data:")
    say("".join(f"  {command.format(folder=folder)}\n      {about}\n" for command, about in _NEXT.items()))
    return page


def compounds(folder: Path, text: GermanText, seed: int, say: Say) -> list[ReportSection]:
    """Language models with and without a view inside words."""
    say(
        f"2. Language models of order 3 ({_SWEEPS} sweeps). The test text has {len(text.unseen_compounds)} compounds never seen.\n"
    )
    corpus = Corpus.read(text.train)
    schedule = Schedule(sweeps=_SWEEPS, seed=seed)
    models: dict[str, LanguageModel] = {
        "mkn": KneserNey(3).fit(corpus),
        "hpylm": HPYLM(3, schedule=schedule).fit(corpus),
    }
    neural = log_bilinear(corpus, text, seed, say)
    compound_models = {
        "hpylm+c": CompoundHPYLM(3, schedule=schedule, segmentation=text.segmentations, both_ways=False).fit(corpus),
        "hpylm+g": CompoundHPYLM(3, schedule=schedule, segmentation=text.segmentations).fit(corpus),
    }
    for name, model in (models | compound_models | neural).items():
        model.save(folder / f"{name}.binyan")
    # The vocabulary is closed for this comparison: all models share out one among the same words.
    closed = models | {name: model.closed() for name, model in compound_models.items()} | neural
    table = summary([evaluate(model, HeldOutText(text.test), name) for name, model in closed.items()])
    say(table.terminal())
    unseen = unseen_table(models | compound_models, text)
    say(unseen.terminal())
    origin = origin_table(compound_models["hpylm+c"], text)
    say(origin.terminal())
    sections = [
        ReportSection("Language models", _ABOUT_MODELS, [table]),
        ReportSection("Compounds never seen", "", [unseen, origin]),
    ]
    for model in neural.values():
        sections.append(vectors.section(model, seed))
        for table in sections[-1].tables:
            say(table.terminal())
    return sections


def log_bilinear(corpus: Corpus, text: GermanText, seed: int, say: Say) -> dict[str, Any]:
    """CLBL++ by its name, or nothing where PyTorch is not installed."""
    try:
        return {"clbl++": vectors.train(corpus, text.segmentations, seed)}
    except MissingExtra as missing:
        say(f"   Without CLBL++ and the map of vectors: {missing}\n")
        return {}


def unseen_table(models: dict[str, LanguageModel], text: GermanText, most: int = 8) -> Table:
    """The probability each model gives to compounds it has never seen, where they stand in the test text."""
    rows: list[list[Cell]] = []
    unseen = set(text.unseen_compounds)
    for sentence in text.test:
        for place, word in enumerate(sentence):
            if word in unseen and len(rows) < most:
                context = sentence[max(0, place - 2) : place]
                unseen.discard(word)
                rows.append([" ".join([*context, word]), str(text.segmentations[word])])
                rows[-1] += [math.exp(_log_prob(model, sentence[:place], word)) for model in models.values()]
    columns = [Column("in its context"), Column("parts"), *(Column(name, ".2e") for name in models)]
    signature = "\n".join(str(model.signature()) for model in models.values())
    return Table("Compounds never seen in training", columns, rows, signature, _ABOUT_UNSEEN)


def origin_table(model: LanguageModel, text: GermanText) -> Table:
    """Where the probability of one compound never seen comes from: the one the model finds most probable."""
    places = [(s[:i], w) for s in text.test for i, w in enumerate(s) if w in text.unseen_compounds]
    before, word = max(places, key=lambda place: _log_prob(model, *place))
    state = model.state_after(before)
    rows: list[list[Cell]] = [
        [step.name, step.detail, step.probability, step.share] for step in model.steps(state, word)
    ]
    columns = [Column("step"), Column("of what"), Column("probability", ".3g"), Column("share", ".1%")]
    title = f"Where the probability of {word} after {' '.join(before[-2:])} comes from"
    return Table(title, columns, rows, str(model.signature()))


def _log_prob(model: LanguageModel, before: list[str], word: str) -> float:
    return model.score_word(model.state_after(before), word).log_prob


def roots(folder: Path, words: list[SemiticWord], seed: int, say: Say) -> ReportSection:
    """Roots and templates learnt from a list of words, nothing else."""
    say(
        f"3. Roots and templates, learnt from the words alone by the grammar {_GRAMMAR} ({_MORPHOLOGY_SWEEPS} sweeps).\n"
    )
    morphology = Morphology(_GRAMMAR, sweeps=_MORPHOLOGY_SWEEPS, seed=seed).fit([w.word for w in words], progress=False)
    morphology.save(folder / "words.binyan", reduced=True)
    best_roots = {w.word: morphology.root(w.word, length=3) or "" for w in words}
    right = sum(best_roots[w.word] == w.root for w in words)
    guessed = sum(math.comb(3, 3) / math.comb(len(w.word), 3) for w in words)
    lines: list[list[Cell]] = [
        ["found by the model", right, right / len(words)],
        ["expected of three letters drawn at random", round(guessed), guessed / len(words)],
    ]
    columns = [Column("roots"), Column("words", ",d"), Column("share", ".1%")]
    table = Table(f"Roots of {len(words):,} words", columns, lines, str(morphology.signature()))
    say(table.terminal())
    example = next(w for w in words if best_roots[w.word] == w.root and len(w.word) > 6)
    tree = morphology.tree(example.word, full=False)
    say(f"{tree}\n")
    return ReportSection("Roots and templates", "", [table, _families(morphology, words, best_roots)], [tree.svg()])


def _families(morphology: Morphology, words: list[SemiticWord], roots: dict[str, str], most: int = 8) -> Table:
    """Words by the root the model gives them."""
    families: dict[str, list[str]] = {}
    for word in words:
        families.setdefault(roots[word.word], []).append(word.word)
    families.pop("", None)
    largest = sorted(families.items(), key=lambda family: (-len(family[1]), family[0]))[:most]
    rows: list[list[Cell]] = [[root, len(members), ", ".join(members[:6])] for root, members in largest]
    columns = [Column("root"), Column("words", "d"), Column("some of them")]
    return Table("The largest families of words", columns, rows, str(morphology.signature()))


_ABOUT_MODELS = (
    "Perplexity on held-out text: lower is better. HPYLM+c and hpylm+g know how compounds are built; for this table they are "
    "renormalised over the vocabulary of the others. CLBL++ has vectors instead of counts, the same for a part of a word wherever it "
    "stands."
)
_ABOUT_UNSEEN = (
    "To a word it has never seen, a model without a view inside words can only give the probability of <unk>, which all such "
    "words share. The compound models give this very word a probability, from its head in context and its modifiers."
)

_NEXT = {
    "binyan explore {folder}/*.binyan": "all of these models in your browser",
    'binyan lm explain {folder}/hpylm+c.binyan --text "die neue schulküche"': "how a probability is made",
    "binyan lm train hpylm --text YOUR.txt --order 3 --out my.binyan": "a language model of your text",
    "binyan lm perplexity my.binyan --text TEST.txt": "how good it is, with its signature",
    "binyan morph learn WORDS.txt --grammar tpl+t4 --out words.binyan": "roots and templates of your words",
    "binyan morph segment words.binyan WORDS.txt": "their analyses",
    "binyan grammar list": "grammars for other kinds of morphology",
}


def _next_steps(folder: Path) -> ReportSection:
    rows: list[list[Cell]] = [[command.format(folder=folder), about] for command, about in _NEXT.items()]
    return ReportSection(
        "Next, on your own data", "", [Table("Commands to try", [Column("command"), Column("gives")], rows, "")]
    )
