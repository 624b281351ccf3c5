"""CLDF, the format of cross-linguistic data sets: a Wordlist with segments and morphemes, written by pycldf."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from binyan.errors import InputError, MissingExtra
from binyan.files import PathLike, write_bytes
from binyan.morphology.exports.analysed_words import AnalysedWord, AnalysedWords
from binyan.segmentation import Part

UNGLOSSED = "unglossed"
"""The parameter of words whose meaning is not known."""

_COLUMNS = (
    {
        "name": "Morphemes",
        "separator": " + ",
        "dc:description": "The morphemes of the form; one with gaps is cut at them.",
    },
    {"name": "Morpheme_Labels", "separator": " + ", "dc:description": "What each morpheme is: pre, stem, suf, ..."},
    {"name": "Root", "dc:description": "The root of the form."},
    {"name": "Template", "dc:description": "The template of the stem, with a dash for each radical."},
    {"name": "Probability", "datatype": "decimal", "dc:description": "Posterior probability of the segmentation."},
)


def write_cldf(words: AnalysedWords, folder: PathLike) -> None:
    """Write a data set to a folder, which is made if it is missing, and validate it. Needs `pip install 'binyan[linguistics]'`.

    Raises InputError where CLDF refuses the data.
    """
    try:
        from pycldf import Wordlist
    except ImportError as error:
        raise MissingExtra("CLDF", "linguistics") from error
    with tempfile.TemporaryDirectory() as temporary:
        dataset = Wordlist.in_dir(temporary)
        dataset.add_component("LanguageTable")
        dataset.add_component("ParameterTable")
        dataset.add_columns("FormTable", *_COLUMNS)
        dataset.properties["dc:title"] = f"Morphological analyses of {words.language}"
        dataset.properties["dc:provenance"] = words.signature
        dataset.write(**_tables(words))
        _validated(dataset)
        _moved(Path(temporary), Path(folder))


def _tables(words: AnalysedWords) -> dict[str, list[dict[str, Any]]]:
    glosses = dict.fromkeys(filter(None, (words.glosses.get(row.word) for row in words)))
    numbers = {gloss: f"p{i}" for i, gloss in enumerate(glosses, 1)}
    parameters = [{"ID": UNGLOSSED, "Name": UNGLOSSED}, *({"ID": n, "Name": gloss} for gloss, n in numbers.items())]
    forms = [_form(i, row, words, numbers) for i, row in enumerate(words, 1)]
    language = {"ID": words.language, "Name": words.language}
    return {"LanguageTable": [language], "ParameterTable": parameters, "FormTable": forms}


def _form(number: int, row: AnalysedWord, words: AnalysedWords, numbers: dict[str, str]) -> dict[str, Any]:
    pieces = row.pieces or (Part(row.word),)
    segments: list[str] = []
    for piece in pieces:
        segments += [*(["+"] if segments else []), *piece.letters]
    return {
        "ID": f"w{number}",
        "Language_ID": words.language,
        "Parameter_ID": numbers.get(words.glosses.get(row.word, ""), UNGLOSSED),
        "Form": row.word,
        "Segments": segments,
        "Morphemes": [piece.text for piece in row.pieces],
        "Morpheme_Labels": [piece.label or "_" for piece in row.pieces],
        "Root": row.root,
        "Template": row.template,
        "Probability": None if row.segmentation is None else row.segmentation.probability,
    }


def _validated(dataset: Any) -> None:
    try:
        dataset.validate()
    except ValueError as error:
        raise InputError(f"CLDF does not take these data: {error}") from error


def _moved(source: Path, folder: Path) -> None:
    """Each file whole, the metadata last, so that a data set without them is known to be unfinished."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror or error}; name a folder") from error
    for path in sorted(source.iterdir(), key=lambda p: (p.suffix == ".json", p.name)):
        write_bytes(folder / path.name, path.read_bytes())
