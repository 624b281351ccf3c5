"""Segmentations of words: the value, tables of it, and what produces them.

The compound splitter is in `compound_splitter`, maps learnt by Morfessor in `word_map`, gold lists in `gold`.
"""

from binyan.segmentation.segmentation import Linking, Part, Segmentation
from binyan.segmentation.table import Coverage, SegmentationTable

__all__ = ["Coverage", "Linking", "Part", "Segmentation", "SegmentationTable"]
