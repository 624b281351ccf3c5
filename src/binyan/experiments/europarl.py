"""German Europarl as chapter 3 uses it: training text of several sizes, held-out text, and its words split into parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from binyan.evaluation import HeldOutText
from binyan.experiments.prepared import first_tokens, prepared_text
from binyan.experiments.study import Workshop
from binyan.segmentation import SegmentationTable
from binyan.signature import digest
from binyan.text import Corpus, Preparation, Vocabulary, VocabularyPolicy, read_sentences

FOLDER = "text/europarl_de"
PREPARATION = Preparation(tokenise="de", lowercase=True)
# The texts of the main tables: their shards.
TEXTS: Mapping[str, int] = {"first-shard": 1, "all-shards": 4}
# Those of the scaling experiment: shards, and the number of tokens taken from them (None: all).
SIZES: Mapping[str, tuple[int, int | None]] = {
    "100k": (1, 100_000),
    "300k": (1, 300_000),
    "1m": (1, 1_000_000),
    "3m": (1, 3_000_000),
    "10m": (1, None),
    "33m": (4, None),
}
# What the splitter learns from, parts that are compounds themselves split too. GecoDB alone has few plurals and takes the
# parts of its compounds for simplex words: it leaves "parlamentswahlen" and "tagesordnung" whole.
GOLD = ("germanet18_links.tsv.xz", "gecodb_train_50000.tsv.xz")
NOT_GOLD = "gecodb_dev_1000.tsv"  # its words are kept out of training


def settings(name: str) -> dict[str, Any]:
    """What a training text depends on, by its name in `TEXTS` or `SIZES`, and how its vocabulary is chosen.

    The thesis's main vocabulary has all types of its bitext, however rare, and learns <unk> from those of other text. Ours
    has all but a twentieth of the types seen once, from which <unk> is learnt. At the sizes of the scaling experiment types
    seen once are left out, as there.
    """
    text = {"text": FOLDER, "preparation": str(PREPARATION)}
    if name in TEXTS:
        return {**text, "shards": TEXTS[name], "tokens": None, "min_count": 1, "kappa": 0.05}
    shards, tokens = SIZES[name]
    return {**text, "shards": shards, "tokens": tokens, "min_count": 2}


def training_corpus(data: Mapping[str, Any], workshop: Workshop) -> Corpus:
    """The training text of an experiment, prepared once for all of them."""
    files = [_prepared(f"train{n}", workshop) for n in range(1, data["shards"] + 1)]
    policy = VocabularyPolicy(min_count=data["min_count"], kappa=data.get("kappa", 0.0))
    text = (
        files
        if data["tokens"] is None
        else first_tokens(chain.from_iterable(map(read_sentences, files)), data["tokens"])
    )
    return Corpus.read(text, policy=policy, progress=workshop.progress)


def held_out_text(workshop: Workshop) -> HeldOutText:
    """The test text, prepared."""
    return HeldOutText.read(_prepared("test", workshop))


def stored_held_out_text(prepared: Path) -> HeldOutText | None:
    """The test text, if an experiment has prepared it."""
    found = sorted(prepared.glob("de_mono.test.*.txt"))
    return HeldOutText.read(found[0]) if found else None


def segmentation(vocabulary: Vocabulary, workshop: Workshop) -> SegmentationTable:
    """The words of a vocabulary split by a splitter that learnt from gold lists and the words of the first shard; made once."""
    path = segmentation_path(workshop.prepared, vocabulary.digest)
    if not path.exists():
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        splitter, signature = _splitter(workshop)
        splitter.split_words(vocabulary.words[3:], progress=workshop.progress).write(part, comment=signature)
        os.replace(part, path)
    return SegmentationTable.read(path)


def segmentation_path(prepared: Path, vocabulary: str) -> Path:
    """Where the segmentation of the vocabulary with this digest is kept."""
    return prepared / f"words.{vocabulary}.segmentation.tsv"


def _splitter(workshop: Workshop) -> tuple[Any, str]:
    from binyan.segmentation.compound_splitter import CompoundSplitter
    from binyan.segmentation.gold import read_gold

    gold = [workshop.source(f"compounds/{name}") for name in GOLD]
    held_out = workshop.source(f"compounds/{NOT_GOLD}")
    text = _prepared("train1", workshop)
    made = digest(*(path.read_bytes() for path in (*gold, held_out)), text.name.encode())
    signature = f"splitter:log-linear|gold:{'+'.join(GOLD)}|text:{text.name}|made:{made}"
    path = workshop.prepared / f"splitter.{made}.model"
    if not path.exists():
        rows = {row.word: row for source in reversed(gold) for row in read_gold(source).table.values()}
        CompoundSplitter(recursive=True).fit(rows, text, exclude=held_out, progress=workshop.progress).save(path)
    return CompoundSplitter.load(path), signature


def _prepared(name: str, workshop: Workshop) -> Path:
    source = workshop.source(f"{FOLDER}/de_mono.{name}.txt.xz")
    return prepared_text(source, PREPARATION, workshop.prepared, progress=workshop.progress)
