"""Learnt morphologies as weighted finite-state transducers, which foma, HFST and OpenFst read."""

from binyan.morphology.transducer.build import build_transducer
from binyan.morphology.transducer.settings import TransducerSettings
from binyan.morphology.transducer.transducer import FstAnalysis, Transducer

__all__ = ["FstAnalysis", "Transducer", "TransducerSettings", "build_transducer"]
