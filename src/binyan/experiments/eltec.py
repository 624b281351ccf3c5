"""The novels of ELTeC as chapter 4's small setting uses them: the first million tokens of a language, and what is held out."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from binyan.evaluation import HeldOutText
from binyan.experiments.prepared import first_tokens, prepared_text
from binyan.experiments.study import Workshop
from binyan.segmentation import SegmentationTable
from binyan.signature import digest
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences

FOLDER = "text/eltec"
PUD = "text/ud_pud/{}_pud.conllu.gz"
LANGUAGES = ("de", "cs", "en", "es", "fr", "ru")
SECOND = 50_000  # tokens of the second development text: those of the training novels after the training text


def settings(language: str, tokens: int = 1_000_000, kappa: float = 0.2) -> dict[str, Any]:
    """What a training text depends on. Russian keeps only words of which 80 per cent are Cyrillic letters."""
    script = {"script": "cyrillic"} if language == "ru" else {}
    return {"text": FOLDER, "language": language, "tokens": tokens, "kappa": kappa, **script}


def preparation(language: str) -> Preparation:
    """Tokenised, in lower case, digits as 0."""
    return Preparation(tokenise=language, lowercase=True, digits=True)


def training_corpus(data: Mapping[str, Any], workshop: Workshop) -> Corpus:
    """The first tokens of the training novels, whole sentences."""
    policy = VocabularyPolicy(kappa=data["kappa"], script=data.get("script"))
    return Corpus.read(_sentences(data, workshop, second=False), policy=policy, progress=workshop.progress)


def held_out(data: Mapping[str, Any], part: str, workshop: Workshop) -> HeldOutText:
    """`dev` and `test` are other novels; `second` is what follows the training text in its own."""
    if part == "second":
        return HeldOutText(list(_sentences(data, workshop, second=True)))
    return HeldOutText.read(_file(data, part, workshop))


def tagged(data: Mapping[str, Any], workshop: Workshop) -> HeldOutText | None:
    """The language's sentences of PUD with their parts of speech; None where the data folder lacks them."""
    path = workshop.data / PUD.format(data["language"])
    return HeldOutText.read(path, preparation(data["language"])) if path.exists() else None


def word_map(data: Mapping[str, Any], method: Mapping[str, Any], workshop: Workshop) -> SegmentationTable:
    """The word map of a training text and its held-out texts; made once, whatever words `kappa` then leaves out."""
    more = (w for part in ("dev", "test") for s in held_out(data, part, workshop).sentences for w in s)
    whole = {k: v for k, v in data.items() if k != "kappa"}
    return learnt_map(whole, method, _sentences(data, workshop, second=False), more, workshop)


def learnt_map(
    data: Mapping[str, Any],
    method: Mapping[str, Any],
    sentences: Iterable[Sequence[str]],
    more: Iterable[str],
    workshop: Workshop,
) -> SegmentationTable:
    """Morphemes learnt by Morfessor from sentences, and applied to `more` words; made once for `data` and `method`."""
    from binyan.segmentation.morfessor import learn

    name = digest(repr(sorted(data.items())).encode(), repr(sorted(method.items())).encode())
    path = workshop.prepared / f"{data['language']}.{name}.map.tsv"
    if not path.exists():
        counts = Counter(w for sentence in sentences for w in sentence)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        learn(counts, more, **method, progress=workshop.progress).write(part)
        os.replace(part, path)
    return SegmentationTable.read(path)


def _file(data: Mapping[str, Any], part: str, workshop: Workshop) -> Path:
    source = workshop.source(f"{FOLDER}/{data['language']}.{part}.txt.xz")
    return prepared_text(source, preparation(data["language"]), workshop.prepared, progress=workshop.progress)


def _sentences(data: Mapping[str, Any], workshop: Workshop, second: bool) -> Iterator[list[str]]:
    sentences = read_sentences(_file(data, "train", workshop))
    training = first_tokens(sentences, data["tokens"])
    if not second:
        return training
    deque(training, maxlen=0)
    return first_tokens(sentences, SECOND)
