"""The novels of ELTeC as chapter 4's small setting uses them: the first million tokens of a language, and what is held out."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from binyan.evaluation import HeldOutText
from binyan.experiments.experiment import Workspace
from binyan.experiments.text_cache import cached_text, first_tokens
from binyan.files import replacing
from binyan.segmentation import SegmentationTable
from binyan.signature import digest
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences

FOLDER = "text/eltec"
PUD = "text/ud_pud/{}_pud.conllu.gz"
LANGUAGES = ("de", "cs", "en", "es", "fr", "ru")
KAPPA = 0.2  # the share of words seen once that is left out of the vocabulary
SECOND = 50_000  # tokens of the second development text, which follows the training text in the same novels


def settings(language: str, tokens: int = 1_000_000, kappa: float = KAPPA) -> dict[str, Any]:
    """The settings of a training text. Russian keeps only words of which 80 per cent are Cyrillic letters."""
    script = {"script": "cyrillic"} if language == "ru" else {}
    return {"text": FOLDER, "language": language, "tokens": tokens, "kappa": kappa, **script}


def preparation(language: str) -> Preparation:
    """Tokenised, in lower case, digits as 0."""
    return Preparation(tokenise=language, lowercase=True, digits=True)


def training_corpus(data: Mapping[str, Any], workspace: Workspace) -> Corpus:
    """The first tokens of the training novels, whole sentences."""
    policy = VocabularyPolicy(kappa=data["kappa"], script=data.get("script"))
    return Corpus.read(_sentences(data, workspace, second=False), policy=policy, progress=workspace.progress)


def held_out(data: Mapping[str, Any], part: str, workspace: Workspace) -> HeldOutText:
    """`dev` and `test` are other novels; `second` is the text after the training text in the same novels."""
    if part == "second":
        return HeldOutText(list(_sentences(data, workspace, second=True)))
    return HeldOutText.read(_file(data, part, workspace))


def tagged(data: Mapping[str, Any], workspace: Workspace) -> HeldOutText | None:
    """The language's sentences of PUD with their parts of speech; None where the data folder lacks them."""
    path = workspace.data / PUD.format(data["language"])
    return HeldOutText.read(path, preparation(data["language"])) if path.exists() else None


def word_map(data: Mapping[str, Any], method: Mapping[str, Any], workspace: Workspace) -> SegmentationTable:
    """The word map of a training text and its held-out texts; the same for every `kappa`, and kept on disk."""
    more = (w for part in ("dev", "test") for s in held_out(data, part, workspace).sentences for w in s)
    whole = {k: v for k, v in data.items() if k != "kappa"}
    return learnt_map(whole, method, _sentences(data, workspace, second=False), more, workspace)


def learnt_map(
    data: Mapping[str, Any],
    method: Mapping[str, Any],
    sentences: Iterable[Sequence[str]],
    more: Iterable[str],
    workspace: Workspace,
) -> SegmentationTable:
    """Morphemes learnt by Morfessor from sentences, and applied to `more` words; kept on disk by `data` and `method`."""
    from binyan.segmentation.morfessor import learn

    key = digest(repr(sorted(data.items())).encode(), repr(sorted(method.items())).encode())
    path = workspace.cache / f"{data['language']}.{key}.map.tsv"
    if not path.exists():
        counts = Counter(w for sentence in sentences for w in sentence)
        table = learn(counts, more, **method, progress=workspace.progress)
        with replacing(path) as part:
            table.write(part)
    return SegmentationTable.read(path)


def _file(data: Mapping[str, Any], part: str, workspace: Workspace) -> Path:
    source = workspace.source(f"{FOLDER}/{data['language']}.{part}.txt.xz")
    return cached_text(source, preparation(data["language"]), workspace.cache, progress=workspace.progress)


def _sentences(data: Mapping[str, Any], workspace: Workspace, second: bool) -> Iterator[list[str]]:
    sentences = read_sentences(_file(data, "train", workspace))
    training = first_tokens(sentences, data["tokens"])
    if not second:
        return training
    deque(training, maxlen=0)
    return first_tokens(sentences, SECOND)
