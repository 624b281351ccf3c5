"""Every format that analyses can be exported to, and the field data that can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from binyan.errors import SettingsError
from binyan.files import PathLike, write_bytes, write_text
from binyan.morphology.exports import tables
from binyan.morphology.exports.analysed_words import UNKNOWN_LANGUAGE, AnalysedWords, analysed_words
from binyan.morphology.exports.cldf import write_cldf
from binyan.morphology.exports.field_data import FieldData
from binyan.morphology.exports.flextext import flextext_document, read_flextext
from binyan.morphology.exports.interlinear import interlinear_text
from binyan.morphology.exports.lift import lift_document, read_lift

if TYPE_CHECKING:
    from binyan.morphology.morphology import Morphology
    from binyan.morphology.word_list import WordSource
    from binyan.text.reading import Source

_TEXTS: Mapping[str, Callable[[AnalysedWords], str]] = {
    "tsv": tables.gold_rows,
    "json": tables.json_text,
    "morfessor": tables.morfessor_text,
    "unimorph": tables.unimorph_table,
    "conllu": tables.conllu_text,
    "igt": interlinear_text,
}
_DOCUMENTS: Mapping[str, Callable[[AnalysedWords], bytes]] = {"lift": lift_document, "flextext": flextext_document}

ANALYSIS_FORMATS = (*_DOCUMENTS, "cldf", *_TEXTS)
FORMATS = ("fst", *ANALYSIS_FORMATS)
"""The formats of `Morphology.export`."""


@dataclass(frozen=True)
class ExportReport:
    """What was exported where, for people and for JSON."""

    path: str
    format: str
    details: Mapping[str, Any]

    def __str__(self) -> str:
        if self.format == "fst":
            return (
                f"{self.path}: {self.details['states']:,} states, {self.details['arcs']:,} arcs\n{self.details['note']}"
            )
        without = self.details["without_analysis"]
        return f"{self.path}: {self.details['words']:,} words" + (
            f", {len(without):,} without an analysis" if without else ""
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"path": self.path, "format": self.format, **self.details}


def export_analyses(
    morphology: Morphology,
    path: PathLike,
    format: str,
    words: WordSource | None = None,
    text: Source | None = None,
    language: str = UNKNOWN_LANGUAGE,
    glosses: Mapping[str, str] | PathLike | None = None,
) -> ExportReport:
    """Write the analyses of words (see `analysed_words`) in one of `ANALYSIS_FORMATS`."""
    if format not in ANALYSIS_FORMATS:
        raise SettingsError(f"the formats are {', '.join(FORMATS)}, not {format!r}")
    rows = analysed_words(morphology, words, text, language, glosses)
    write_analyses(rows, path, format)
    details = {"words": len(rows), "without_analysis": rows.without_analysis, "signature": rows.signature}
    return ExportReport(str(path), format, details)


def write_analyses(rows: AnalysedWords, path: PathLike, format: str) -> None:
    """Write analysed words in one of `ANALYSIS_FORMATS`; "cldf" writes a folder."""
    if format in _TEXTS:
        write_text(path, _TEXTS[format](rows))
    elif format in _DOCUMENTS:
        write_bytes(path, _DOCUMENTS[format](rows))
    else:
        write_cldf(rows, path)


def read_field_data(path: PathLike, language: str | None = None) -> FieldData:
    """The words and known analyses of a LIFT lexicon (.lift) or of interlinear texts of FieldWorks (.flextext)."""
    readers = {".lift": read_lift, ".flextext": read_flextext}
    ending = Path(path).suffix.lower()
    if ending not in readers:
        raise SettingsError(f"{path}: field data are .lift or .flextext files, not {ending or 'files without ending'}")
    return readers[ending](path, language)
