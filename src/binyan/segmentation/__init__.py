"""Segmentations of words: the value, tables of it, and what produces them.

The splitters are in `compound_splitter` and `frequency_splitter`, gold lists in `gold`.
"""

from binyan.segmentation.segmentation import Linking, Part, Segmentation
from binyan.segmentation.table import Coverage, SegmentationTable

__all__ = ["Coverage", "Linking", "Part", "Segmentation", "SegmentationTable"]
