"""The explorer: a local web page over models that are named when it starts."""
