"""Word similarity (thesis, section 4.4.5): vectors learnt from the most text at hand, and how they order pairs of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from binyan.evaluation.similarity import WordPair, evaluate_similarity, read_pairs
from binyan.experiments.experiment import Experiment, Outcome, Workspace
from binyan.experiments.lbl import eltec, models
from binyan.experiments.text_cache import cached_text, first_tokens
from binyan.morphology.map_sources import OWN
from binyan.text import Corpus, VocabularyPolicy, read_sentences

if TYPE_CHECKING:
    from binyan.experiments.lbl.perplexity_experiment import PerplexityExperiment
    from binyan.log_bilinear import LogBilinear
    from binyan.log_bilinear.vectors import Vectors

Pairs = Mapping[str, Sequence[WordPair]]

# language -> the sets of pairs, with their names in the thesis's table
SETS: Mapping[str, Mapping[str, str]] = {
    "en": {"en-rw": "RW", "en-ws353": "WS_en", "en-rg65": "RG_en"},
    "de": {"de-gur350": "Gur_de", "de-zg222": "ZG_de"},
    "es": {"es-ws353": "WS_es"},
    "fr": {"fr-rg65": "RG_fr"},
}
# label, whether vectors of words outside the vocabulary are composed, row of the thesis's table
VECTORS = (
    ("clbl", "not composed", "CLBL"),
    ("clbl++", "composed", "CLBL++"),
    ("clbl++", "not composed", "CLBL++ -compose"),
)
# Tokens taken from each of two texts, by their names; None is all the text at hand. All of German Europarl is measured with the models
# that perplexities are measured of.
SIZES: Mapping[str, int | None] = {"500k": 500_000, "2m": 2_000_000, "all": None}
SIZES_OF = {"en": ("500k", "all"), "de": ("500k", "2m"), "es": ("500k", "all"), "fr": ("all",)}
# Languages of vectors from all text with our word map and more dimensions; in German all of Europarl and novels.
WIDE_OF = ("en", "de")
SEEDS = {"es-500k": (2, 3)}  # further seeds of what a single run leaves open
MAPPED_LABEL, MAPPED = "clbl++", 150  # whose morphemes are drawn on a map, and how many
# Every minibatch moves all target vectors, of which there are many; words seen once are too many to learn morphemes from.
CHANGES = {"batch": 20_000, "step": 0.1, "l2": 30.0}
MAP_CHANGES = {"map_min_count": 2}


@dataclass(frozen=True, kw_only=True)
class SimilarityExperiment(Experiment):
    """How well the vectors of a model order pairs of words of one language."""

    study: str = "lbl"
    measure: str = "similarity"

    @property
    def language(self) -> str:
        """The language of the text and the pairs."""
        return str(self.data["language"])

    @property
    def has_all_text(self) -> bool:
        """Whether the vectors are learnt from all the text at hand."""
        return self.data["tokens_each"] is None


def experiments() -> list[SimilarityExperiment]:
    """Vectors of words alone, and of words and morphemes, from several amounts of text; then the widest, from all of it."""
    listed = [
        _experiment(language, size, models.seed_label(label, seed), {**_model(label), "seed": seed})
        for language, sizes in SIZES_OF.items()
        for size in sizes
        for label in ("clbl", "clbl++", *models.OWN_MAP)
        for seed in (1, *(SEEDS.get(f"{language}-{size}", ()) if label in models.KINDS else ()))
    ]
    for language, (label, kind) in product(WIDE_OF, models.WIDE_OWN_MAP.items()):
        training = models.LARGE if _has_large_text(language, None) else CHANGES
        wide = {**models.own_map_settings(kind), **training, "dim": models.WIDE_DIM}
        listed.append(_experiment(language, "all", label, wide))
    return listed


def measure(experiment: SimilarityExperiment, workspace: Workspace) -> Outcome:
    """Spearman's rho on each set."""
    data, language = experiment.data, experiment.language
    pairs = pairs_of(language, workspace)
    policy = VocabularyPolicy(kappa=data["kappa"])
    corpus = Corpus.read(_sentences(experiment, workspace), policy=policy, progress=workspace.progress)
    development = list(read_sentences(_prepared(data["development"], language, workspace)))
    method, word_map = models.map_settings(experiment.model), None
    if method is not None:
        sentences = _sentences(experiment, workspace)
        word_map = eltec.learnt_map(data, method, sentences, words_of(pairs), workspace)
    checkpoint = workspace.checkpoint(experiment)
    lm, training = models.train_log_bilinear(experiment.model, corpus, development, word_map, workspace, checkpoint)
    scores = correlations(lm, pairs)
    figures: dict[str, Any] = {"training_tokens": len(corpus.words), "vocabulary_size": len(corpus.vocabulary)}
    if experiment.label == MAPPED_LABEL and language == "en":
        figures["map"] = morpheme_map(lm.vectors)
    return Outcome({"similarity": scores, **figures, **training}, str(lm.signature()))


def stands_beside_thesis(experiment: SimilarityExperiment | PerplexityExperiment, how: str) -> bool:
    """Whether the thesis's figure stands beside a rho: where the vectors are learnt from all the text at hand.

    The thesis's row of CLBL++ without composing takes something away from its own model, and has no counterpart among our recipes.
    """
    is_own = experiment.model.get("map_method") == OWN
    return experiment.has_all_text and not (is_own and how == "not composed")


def pairs_of(language: str, workspace: Workspace) -> Pairs:
    """The sets of pairs of a language, by name."""
    return {name: read_pairs(workspace.source(f"similarity/{name}.tsv"), lowercase=True) for name in SETS[language]}


def words_of(pairs: Pairs) -> Iterator[str]:
    """The words of all pairs."""
    return (word for listed in pairs.values() for pair in listed for word in (pair.one, pair.other))


def correlations(lm: LogBilinear, pairs: Pairs) -> dict[str, dict[str, Any]]:
    """Spearman's rho on each set, times 100 as in the thesis, also on the pairs of known words and on the others alone.

    For additive models twice: with vectors of words outside the vocabulary composed, and without.
    """
    scores: dict[str, dict[str, Any]] = {}
    for compose in (True, False) if lm.shape.variant.additive else (False,):
        vectors = lm.vectors.using(compose=compose, guess=False)
        how = "composed" if compose else "not composed"
        scores[how] = {name: _correlation(listed, vectors, lm) for name, listed in pairs.items()}
    return scores


def _correlation(pairs: Sequence[WordPair], vectors: Vectors, lm: LogBilinear) -> dict[str, Any]:
    known = {pair: pair.one in lm.vocabulary and pair.other in lm.vocabulary for pair in pairs}
    parts = {"": pairs, "_known": [p for p in pairs if known[p]], "_other": [p for p in pairs if not known[p]]}
    figures: dict[str, Any] = {}
    for part, listed in parts.items():
        score = evaluate_similarity(listed, vectors.similarity, vectors.__contains__)
        figures |= {f"rho{part}": 100 * score.rho, f"pairs{part}": score.pairs}
        figures |= {} if part else {"uncovered_pairs": score.uncovered}
    return figures


def morpheme_map(vectors: Vectors, number: int = MAPPED, seed: int = 1) -> list[list[Any]]:
    """The most used affixes, written with hyphens, and their places in the plane by t-SNE (thesis, figure 4.7)."""
    from binyan.log_bilinear.vector_map import chosen, plane

    names, matrix = chosen(vectors, len(vectors.model.factor_map.morphemes), morphemes=True)
    affixes = [i for i, name in enumerate(names) if name.endswith(("/PRE", "/SUF"))][:number]
    shown = [names[i].removesuffix("/PRE") + "-" if names[i].endswith("/PRE") else f"-{names[i][:-4]}" for i in affixes]
    places = plane(matrix[affixes], seed)
    return [[name, round(float(x), 2), round(float(y), 2)] for name, (x, y) in zip(shown, places, strict=True)]


def _model(label: str) -> dict[str, Any]:
    if label in models.OWN_MAP:
        return {**models.own_map_settings(models.OWN_MAP[label]), **CHANGES}
    map_changes = MAP_CHANGES if models.KINDS[label].is_additive else {}
    return {**models.settings(label), **CHANGES, **map_changes}


def _experiment(language: str, size: str, label: str, model: Mapping[str, Any]) -> SimilarityExperiment:
    data = _settings(language, SIZES[size])
    return SimilarityExperiment(dataset=f"similarity-{language}-{size}", label=label, data=data, model=model)


def _has_large_text(language: str, tokens: int | None) -> bool:
    return language == "de" and tokens is None


def _training_texts(language: str, tokens: int | None) -> tuple[str, ...]:
    parliament = [f"parallel/europarl/par4.train.{language}.xz"]
    if _has_large_text(language, tokens):
        parliament = [f"{eltec.EUROPARL}/de_mono.train{n}.txt.xz" for n in range(1, eltec.SHARDS + 1)]
    return *parliament, f"text/eltec/{language}.train.txt.xz"


def _settings(language: str, tokens: int | None) -> dict[str, Any]:
    return {
        "texts": "+".join(_training_texts(language, tokens)),
        "development": f"parallel/europarl/par4.dev.{language}.xz",
        "language": language,
        "tokens_each": tokens,
        "kappa": eltec.KAPPA,
    }


def _prepared(path: str, language: str, workspace: Workspace) -> Path:
    return cached_text(
        workspace.source(path), eltec.preparation(language), workspace.cache, progress=workspace.progress
    )


def _sentences(experiment: SimilarityExperiment, workspace: Workspace) -> Iterator[list[str]]:
    """The first tokens of each text, in whole sentences, or all of it."""
    tokens = experiment.data["tokens_each"]
    for path in _training_texts(experiment.language, tokens):
        sentences = read_sentences(_prepared(path, experiment.language, workspace))
        yield from sentences if tokens is None else first_tokens(sentences, tokens)
