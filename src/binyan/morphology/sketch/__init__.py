"""Grammar sketches: affixes, templates, paradigms, alternations and doubts of a learnt morphology as a report."""

from binyan.morphology.sketch.sketch import Sketch

__all__ = ["Sketch"]
