"""German Europarl as chapter 3 uses it: training text of several sizes, held-out text, and its words split into parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from binyan.evaluation import HeldOutText
from binyan.experiments.experiment import Workspace
from binyan.experiments.text_cache import cached_text, first_tokens
from binyan.files import replacing
from binyan.segmentation import SegmentationTable
from binyan.signature import digest
from binyan.text import Corpus, Preparation, Vocabulary, VocabularyPolicy, read_sentences

FOLDER = "text/europarl_de"
# As the thesis's text: punctuation normalised, and every sentence once.
PREPARATION = Preparation(punctuation=True, tokenise="de", lowercase=True)
NEWS = "text/ud_pud/de_pud.conllu.gz"
SHARDS = 4
MAIN_SIZE = "all"  # 33.7 million tokens before sentences are left out, the nearest to the thesis's 59 million
# The sizes of the scaling experiment -> number of shards, and number of tokens taken from them (None: all).
SCALING_SIZES: Mapping[str, tuple[int, int | None]] = {
    "100k": (1, 100_000),
    "300k": (1, 300_000),
    "1m": (1, 1_000_000),
    "3m": (1, 3_000_000),
    "10m": (1, None),
    "33m": (4, None),
}
# What the splitter learns from; parts that are compounds themselves are split too. GecoDB alone has few plurals and takes the
# parts of its compounds for simplex words: it leaves "parlamentswahlen" and "tagesordnung" whole.
GOLD = ("germanet18_links.tsv.xz", "gecodb_train_50000.tsv.xz")
NOT_GOLD = "gecodb_dev_1000.tsv"  # its words are kept out of training


def settings(size: str) -> dict[str, Any]:
    """The settings of a training text and its vocabulary, for `MAIN_SIZE` or a size of `SCALING_SIZES`.

    The thesis's main vocabulary has all types of its bitext, however rare, and learns <unk> from those of other text. Ours
    has all but a twentieth of the types seen once, from which <unk> is learnt. At the sizes of the scaling experiment types
    seen once are left out, as there.
    """
    text: dict[str, Any] = {"text": FOLDER, "preparation": str(PREPARATION), "duplicates": "left out"}
    if size == MAIN_SIZE:
        return {**text, "shards": SHARDS, "tokens": None, "min_count": 1, "kappa": 0.05}
    shards, tokens = SCALING_SIZES[size]
    return {**text, "shards": shards, "tokens": tokens, "min_count": 2}


def training_corpus(data: Mapping[str, Any], workspace: Workspace) -> Corpus:
    """The training text of an experiment, prepared once for all of them."""
    names = [f"train{n}" for n in range(1, data["shards"] + 1)]
    files = [_prepared(name, workspace) for name in names]
    policy = VocabularyPolicy(min_count=data["min_count"], kappa=data.get("kappa", 0.0))
    sentences = distinct(chain.from_iterable(map(read_sentences, files)))
    text = sentences if data["tokens"] is None else first_tokens(sentences, data["tokens"])
    return Corpus.read(text, policy=policy, progress=workspace.progress)


def held_out_text(workspace: Workspace) -> HeldOutText:
    """The test text, prepared as the training text."""
    return HeldOutText.read(_prepared("test", workspace))


def other_text(workspace: Workspace) -> HeldOutText | None:
    """A thousand sentences of news and encyclopedia (PUD), further from the training text; None where the data folder lacks them."""
    return HeldOutText.read(workspace.source(NEWS), PREPARATION) if (workspace.data / NEWS).exists() else None


def distinct(sentences: Iterable[list[str]]) -> Iterator[list[str]]:
    """Every sentence once, where it comes first.

    >>> list(distinct([["a"], ["b"], ["a"]]))
    [['a'], ['b']]
    """
    seen: set[str] = set()
    for sentence in sentences:
        key = digest(" ".join(sentence).encode())
        if key not in seen:
            seen.add(key)
            yield sentence


def segmentation(vocabulary: Vocabulary, workspace: Workspace) -> SegmentationTable:
    """The words of a vocabulary, split by a splitter trained on gold lists and the words of the first shard; kept on disk."""
    from binyan.segmentation.compound_splitter import CompoundSplitter

    path = segmentation_path(workspace.cache, vocabulary.digest)
    if not path.exists():
        model, signature = splitter(workspace)
        table = CompoundSplitter.load(model).split_words(vocabulary.own_words, progress=workspace.progress)
        with replacing(path) as part:
            table.write(part, comment=signature)
    return SegmentationTable.read(path)


def segmentation_path(cache: Path, vocabulary: str) -> Path:
    """Where the segmentation of the vocabulary with this digest is kept."""
    return cache / f"words.{vocabulary}.segmentation.tsv"


def splitter(workspace: Workspace) -> tuple[Path, str]:
    """The file of the splitter, which is trained once, and its signature."""
    from binyan.segmentation.compound_splitter import CompoundSplitter
    from binyan.segmentation.gold import read_gold

    gold = [workspace.source(f"compounds/{name}") for name in GOLD]
    held_out = workspace.source(f"compounds/{NOT_GOLD}")
    text = _prepared("train1", workspace)
    key = digest(*(path.read_bytes() for path in (*gold, held_out)), text.name.encode())
    signature = f"splitter:log-linear|gold:{'+'.join(GOLD)}|text:{text.name}|made:{key}"
    path = workspace.cache / f"splitter.{key}.model"
    if not path.exists():
        rows = {row.word: row for source in reversed(gold) for row in read_gold(source).table.values()}
        model = CompoundSplitter(recursive=True)
        model.fit(rows, text, exclude=held_out, progress=workspace.progress).save(path)
    return path, signature


def _prepared(name: str, workspace: Workspace) -> Path:
    source = workspace.source(f"{FOLDER}/de_mono.{name}.txt.xz")
    return cached_text(source, PREPARATION, workspace.cache, progress=workspace.progress)
