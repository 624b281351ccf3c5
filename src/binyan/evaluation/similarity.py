"""Word similarity, measured by `Vectors.evaluate`: the pairs of words that it reads, and the measure for any similarity."""

from binyan.log_bilinear.similarity import SimilarityResult, WordPair, evaluate_similarity, read_pairs

__all__ = ["SimilarityResult", "WordPair", "evaluate_similarity", "read_pairs"]
