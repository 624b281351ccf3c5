"""Words by stem and root: paradigms with their gaps, and new words."""

from binyan.morphology.paradigm.families import WordReading
from binyan.morphology.paradigm.frame import Frame
from binyan.morphology.paradigm.generation import GeneratedForm, GeneratedForms
from binyan.morphology.paradigm.methods import ParadigmMethods
from binyan.morphology.paradigm.reading import Reading
from binyan.morphology.paradigm.tables import Paradigm, ParadigmCell, Paradigms

__all__ = [
    "Frame",
    "GeneratedForm",
    "GeneratedForms",
    "Paradigm",
    "ParadigmCell",
    "ParadigmMethods",
    "Paradigms",
    "Reading",
    "WordReading",
]
