"""Log-bilinear language models whose word vectors are sums of morpheme vectors (chapter 4)."""

import os
from importlib.util import find_spec

from binyan.errors import MissingExtra

if find_spec("torch") is None:
    raise MissingExtra("a log-bilinear model", "neural")
# PyTorch asks Linux for large pages then. Each minibatch needs new memory, and to get it in small pages takes up to a quarter of the
# time of training. Read when PyTorch first allocates: where it is in use already, this changes nothing.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
