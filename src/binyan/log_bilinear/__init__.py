"""Log-bilinear language models whose word vectors are sums of morpheme vectors (chapter 4)."""

from importlib.util import find_spec

from binyan.errors import MissingExtra

if find_spec("torch") is None:
    raise MissingExtra("a log-bilinear model", "neural")
