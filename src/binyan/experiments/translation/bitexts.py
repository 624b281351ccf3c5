"""The bitexts of the translation study: their files, and which sentence pairs are taken from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from binyan.experiments.experiment import SettingValues, Workspace
from binyan.files import replacing
from binyan.text import read_lines
from binyan.translation.system_folder import SystemSettings

SIDES = ("source", "target")


@dataclass(frozen=True)
class ParallelCorpus:
    """Files of training, tuning and test text, where {} stands for the language; and the language pairs.

    `first`: how many pairs are taken of a part, by default all. `alignments`: how often the training text is aligned.
    """

    train: str
    tune: str
    test: str
    pairs: tuple[str, ...]
    first: Mapping[str, int] = field(default_factory=dict)
    alignments: int = SystemSettings().alignments


CORPORA: Mapping[str, ParallelCorpus] = {
    "multi30k": ParallelCorpus(
        "train.{}.gz",
        "val.{}.gz",
        "test_2016_flickr.{}.gz",
        ("en-de", "en-cs", "cs-en"),
        {"tune": 300},
    ),
    "libreoffice_help": ParallelCorpus("train.{}.xz", "dev.{}", "test.{}", ("en-ru",), {"tune": 300}),
    # Five times as many pairs, twice as long: aligned once, and less is decoded.
    "europarl": ParallelCorpus(
        "par4.train.{}.xz",
        "par4.dev.{}.xz",
        "par4.test.{}.xz",
        ("en-de", "en-es", "en-fr"),
        {"tune": 200, "test": 500},
        alignments=1,
    ),
}


def settings(corpus: str, pair: str) -> dict[str, Any]:
    """The settings of a bitext with this language pair. Pairs that are the same on both sides were not translated."""
    bitext, (source, target) = CORPORA[corpus], pair.split("-")
    return {
        "corpus": corpus,
        "source": source,
        "target": target,
        "train": bitext.train,
        "tune": bitext.tune,
        "test": bitext.test,
        **{f"first_{part}": pairs for part, pairs in bitext.first.items()},
        "untranslated": "left out",
        "alignments": bitext.alignments,
    }


def files(data: SettingValues, part: str, folder: Path, workspace: Workspace) -> tuple[Path, Path]:
    """The two files of a part (train, tune or test), with only the pairs that are taken, kept in `folder`."""
    selected = folder / f"{part}.source", folder / f"{part}.target"
    names = [f"parallel/{data['corpus']}/{data[part].format(data[side])}" for side in SIDES]
    texts = [workspace.source(name) for name in names]
    if not all(path.exists() for path in selected):
        folder.mkdir(parents=True, exist_ok=True)
        lines = zip(*((line for _, line in read_lines(path)) for path in texts), strict=True)
        pairs = list(islice(((s, t) for s, t in lines if s.strip() != t.strip()), data.get(f"first_{part}")))
        for side, path in enumerate(selected):
            with replacing(path) as unfinished:
                unfinished.write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    return selected
