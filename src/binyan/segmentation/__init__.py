"""Segmentations of words: the value, tables of it, and what produces them."""

from binyan.segmentation.segmentation import Linking, Part, Segmentation
from binyan.segmentation.table import Coverage, SegmentationTable

__all__ = ["Coverage", "Linking", "Part", "Segmentation", "SegmentationTable"]
