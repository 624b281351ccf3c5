"""Language models over n-grams."""
