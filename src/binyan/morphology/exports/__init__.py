"""Analyses in the formats of other programs: FieldWorks, CLDF, UniMorph, CoNLL-U, Morfessor, interlinear text."""

from binyan.morphology.exports.analysed_words import AnalysedWord, AnalysedWords, analysed_words, read_glosses
from binyan.morphology.exports.field_data import FieldData
from binyan.morphology.exports.flextext import read_flextext
from binyan.morphology.exports.formats import (
    ANALYSIS_FORMATS,
    FORMATS,
    ExportReport,
    export_analyses,
    read_field_data,
    write_analyses,
)
from binyan.morphology.exports.lift import read_lift

__all__ = [
    "ANALYSIS_FORMATS",
    "FORMATS",
    "AnalysedWord",
    "AnalysedWords",
    "ExportReport",
    "FieldData",
    "analysed_words",
    "export_analyses",
    "read_field_data",
    "read_flextext",
    "read_glosses",
    "read_lift",
    "write_analyses",
]
