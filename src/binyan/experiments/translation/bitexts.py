"""The bitexts of the translation study: their files, and which sentence pairs are taken from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from binyan.experiments.experiment import SettingValues, Workspace
from binyan.files import replacing
from binyan.signature import digest
from binyan.text import read_lines

SOURCE = "en"
TUNED_ON = 0.5  # weights are tuned on the first half of the tuning text


@dataclass(frozen=True)
class ParallelCorpus:
    """Files of training, tuning and test text, where {} stands for the language; and the target languages.

    `first`: how many pairs are taken of a part, by default all. `drop_untranslated`: pairs with the same words on both
    sides are left out of every part.
    """

    train: str
    tune: str
    test: str
    targets: tuple[str, ...]
    first: Mapping[str, int] = field(default_factory=dict)
    drop_untranslated: bool = False


CORPORA: Mapping[str, ParallelCorpus] = {
    "multi30k": ParallelCorpus("train.{}.gz", "val.{}.gz", "test_2016_flickr.{}.gz", ("de", "cs", "fr")),
    # The Russian help has paragraphs that are still English.
    "libreoffice_help": ParallelCorpus("train.{}.xz", "dev.{}", "test.{}", ("ru", "cs"), drop_untranslated=True),
    # The first sentence pairs, so that a system is trained in minutes.
    "europarl": ParallelCorpus(
        "par4.train.{}.xz",
        "par4.dev.{}.xz",
        "par4.test.{}.xz",
        ("de", "es", "fr"),
        first={"train": 30_000, "tune": 1_000, "test": 500},
    ),
}


def settings(corpus: str, target: str) -> dict[str, Any]:
    """The settings of a bitext with this target language."""
    bitext = CORPORA[corpus]
    return {
        "corpus": corpus,
        "source": SOURCE,
        "target": target,
        "train": bitext.train,
        "tune": bitext.tune,
        "test": bitext.test,
        "tuned_on": TUNED_ON,
        **{f"first_{part}": pairs for part, pairs in bitext.first.items()},
        **({"untranslated": "left out"} if bitext.drop_untranslated else {}),
    }


def files(data: SettingValues, part: str, workspace: Workspace) -> tuple[Path, Path]:
    """The two files of a part (train, tune or test), with only the pairs that are taken."""
    folder = f"parallel/{data['corpus']}"
    source, target = (workspace.source(f"{folder}/{data[part].format(data[side])}") for side in ("source", "target"))
    first, drop_untranslated = data.get(f"first_{part}"), "untranslated" in data
    if first is None and not drop_untranslated:
        return source, target
    return _selection(source, target, first, drop_untranslated, workspace.cache)


def _selection(
    source: Path, target: Path, first: int | None, drop_untranslated: bool, folder: Path
) -> tuple[Path, Path]:
    """The first pairs of two texts, as files of their own that are kept in `folder`."""
    key = digest(repr(([str(source), str(target)], first, drop_untranslated)).encode())
    selected = folder / f"{source.name}.{key}.txt", folder / f"{target.name}.{key}.txt"
    if not all(path.exists() for path in selected):
        folder.mkdir(parents=True, exist_ok=True)
        lines = zip(*((line for _, line in read_lines(path)) for path in (source, target)), strict=True)
        pairs = list(islice(((s, t) for s, t in lines if not drop_untranslated or s.strip() != t.strip()), first))
        for side, path in enumerate(selected):
            with replacing(path) as part:
                part.write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    return selected
