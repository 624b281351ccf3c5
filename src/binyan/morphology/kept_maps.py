"""Learnt word maps in files, so that a further training on the same words takes the map that was learnt before."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from binyan import __version__, model_file
from binyan.errors import ModelFileError
from binyan.files import PathLike
from binyan.grammar.notation import grammar_text
from binyan.model_file import ModelFile
from binyan.morphology.frozen_grammar import FrozenGrammar
from binyan.morphology.map_learning import BY_SCRIPT, LearntMap, MapSettings, learn_map
from binyan.morphology.settings import AUTO
from binyan.progress import ProgressOption
from binyan.segmentation import SegmentationTable
from binyan.segmentation.factor_table import FactorTable
from binyan.signature import digest

KIND = "word-map"


def learn_or_take(
    counts: Mapping[str, int],
    settings: MapSettings,
    folder: PathLike | None,
    say: Callable[[str], None] | None = None,
    progress: ProgressOption = None,
) -> LearntMap:
    """The map that `folder` has of the same words, counts and settings, by the same version; else one learnt now and kept there.

    `say` is told which. Without a folder nothing is kept. A file that cannot be read is replaced.
    """
    if folder is None:
        return learn_map(counts, settings=settings, progress=progress)
    key = map_key(counts, settings)
    path = Path(folder, f"word-map-{key}.binyan")
    try:
        kept = _from_file(model_file.load(path)) if path.exists() else None
    except ModelFileError:
        kept = None
    if kept is not None:
        if say:
            say(f"{path}: {kept}; taken from there, nothing learnt anew")
        return kept
    learnt = learn_map(counts, settings=settings, progress=progress)
    save(learnt, path)
    if say:
        say(f"{path}: {learnt}; kept for further training on the same words")
    return learnt


def map_key(counts: Mapping[str, int], settings: MapSettings) -> str:
    """Digits that stand for all that a map is learnt from: words, counts, settings, the grammar's text, and the version."""
    text = "" if settings.grammar in (BY_SCRIPT, AUTO) else grammar_text(settings.grammar)[1]
    words = "".join(f"{word}\t{counts[word]}\n" for word in sorted(counts))
    return digest(
        words.encode(), json.dumps(settings.to_dict(), sort_keys=True).encode(), text.encode(), __version__.encode()
    )


def save(learnt: LearntMap, path: PathLike) -> None:
    """Write a map, and what its grammar has learnt, to a file."""
    analyser = learnt.factors.analyser
    sections: dict[str, model_file.Section] = {
        "segmentations": learnt.segmentations.to_bytes(),
        "factors": learnt.factors.to_bytes(),
        "analyser": analyser.to_bytes() if analyser is not None else b"",
    }
    model_file.save(path, KIND, {"grammar": learnt.grammar}, sections)


def _from_file(file: ModelFile) -> LearntMap:
    if file.kind != KIND:
        raise ModelFileError(f"{file.path}: holds a {file.kind} where a word map is expected")
    analyser = file.blob("analyser")
    factors = FactorTable.from_bytes(file.blob("factors"), FrozenGrammar.from_bytes(analyser) if analyser else None)
    segmentations = SegmentationTable.from_bytes(file.blob("segmentations"))
    return LearntMap(segmentations, factors, str(file.meta.get("grammar", "")))
