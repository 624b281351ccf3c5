"""The workbench: from a file of words to a reviewed analysis, in the browser."""
