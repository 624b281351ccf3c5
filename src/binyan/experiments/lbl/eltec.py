"""The texts of chapter 4: the first million tokens of novels (ELTeC) in six languages, all of German Europarl, and what is held out."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from binyan.evaluation import HeldOutText
from binyan.experiments.experiment import Workspace
from binyan.experiments.text_cache import cached_text, first_tokens
from binyan.files import replacing
from binyan.morphology.map_sources import OWN, MapLearner
from binyan.segmentation import SegmentationTable
from binyan.signature import digest
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences

FOLDER = "text/eltec"
EUROPARL = "text/europarl_de"
SHARDS = 4  # of Europarl
PUD = "text/ud_pud/{}_pud.conllu.gz"
LANGUAGES = ("de", "cs", "en", "es", "fr", "ru")
KAPPA = 0.2  # the share of words seen once that is left out of the vocabulary
SECOND = 50_000  # tokens of the second development text, which follows the training text in the same novels


def settings(
    language: str, tokens: int = 1_000_000, kappa: float = KAPPA, vocabulary_tokens: int | None = None
) -> dict[str, Any]:
    """The settings of a training text of novels. Russian keeps only words of which 80 per cent are Cyrillic letters.

    The vocabulary is that of the text, or that of its first `vocabulary_tokens`.
    """
    script = {"script": "cyrillic"} if language == "ru" else {}
    fixed = {} if vocabulary_tokens is None else {"vocabulary_tokens": vocabulary_tokens}
    return {"text": FOLDER, "language": language, "tokens": tokens, "kappa": kappa, **script, **fixed}


def europarl_settings(kappa: float) -> dict[str, Any]:
    """The settings of German Europarl, 33.7 million tokens: the nearest to the thesis's Data-Main."""
    return {"text": EUROPARL, "language": "de", "tokens": None, "kappa": kappa}


def preparation(language: str) -> Preparation:
    """Tokenised, in lower case, digits as 0."""
    return Preparation(tokenise=language, lowercase=True, digits=True)


def training_corpus(data: Mapping[str, Any], workspace: Workspace) -> Corpus:
    """The first tokens of the training text, whole sentences."""
    policy = VocabularyPolicy(kappa=data["kappa"], script=data.get("script"))
    if "vocabulary_tokens" in data:
        small = {k: v for k, v in data.items() if k != "vocabulary_tokens"} | {"tokens": data["vocabulary_tokens"]}
        policy = VocabularyPolicy(vocabulary=training_corpus(small, workspace).vocabulary)
    return Corpus.read(_sentences(data, workspace, second=False), policy=policy, progress=workspace.progress)


def held_out(data: Mapping[str, Any], part: str, workspace: Workspace) -> HeldOutText:
    """`dev` and `test` are other novels; `second` is the text after the training text in the same novels."""
    if part == "second":
        return HeldOutText(list(_sentences(data, workspace, second=True)) if data["tokens"] else [])
    return HeldOutText.read(_files(data, part, workspace)[0])


def tagged(data: Mapping[str, Any], workspace: Workspace) -> HeldOutText | None:
    """The language's sentences of PUD with their parts of speech; None where the data folder lacks them."""
    name = PUD.format(data["language"])
    if not (workspace.data / name).exists():
        return None
    return HeldOutText.read(workspace.source(name), preparation(data["language"]))


def word_map(
    data: Mapping[str, Any], method: Mapping[str, Any], workspace: Workspace, more: Iterable[str] = ()
) -> SegmentationTable | MapLearner:
    """The word map of a training text, its held-out texts and `more` words; the same for every `kappa`, and kept on disk."""
    held = (w for part in ("dev", "test") for s in held_out(data, part, workspace).sentences for w in s)
    whole = {k: v for k, v in data.items() if k not in ("kappa", "vocabulary_tokens")}
    return learnt_map(whole, method, _sentences(data, workspace, second=False), chain(held, more), workspace)


def learnt_map(
    data: Mapping[str, Any],
    method: Mapping[str, Any],
    sentences: Iterable[Sequence[str]],
    more: Iterable[str],
    workspace: Workspace,
) -> SegmentationTable | MapLearner:
    """Morphemes learnt by Morfessor from sentences, and applied to `more` words; or what learns our own map. Both are kept on disk."""
    from binyan.segmentation.morfessor import learn

    if method["method"] == OWN:
        return MapLearner(kept_in=workspace.cache)
    key = digest(repr(sorted(data.items())).encode(), repr(sorted(method.items())).encode())
    path = workspace.cache / f"{data['language']}.{key}.map.tsv"
    if not path.exists():
        counts = Counter(w for sentence in sentences for w in sentence)
        table = learn(counts, more, **method, progress=workspace.progress)
        with replacing(path) as part:
            table.write(part)
    return SegmentationTable.read(path)


def _files(data: Mapping[str, Any], part: str, workspace: Workspace) -> list[Path]:
    names = [f"{data['language']}.{part}"]
    if data["text"] == EUROPARL:
        names = [f"de_mono.train{n}" for n in range(1, SHARDS + 1)] if part == "train" else [f"de_mono.{part}"]
    sources = [workspace.source(f"{data['text']}/{name}.txt.xz") for name in names]
    steps = preparation(data["language"])
    return [cached_text(source, steps, workspace.cache, progress=workspace.progress) for source in sources]


def _sentences(data: Mapping[str, Any], workspace: Workspace, second: bool) -> Iterator[list[str]]:
    sentences = chain.from_iterable(map(read_sentences, _files(data, "train", workspace)))
    if data["tokens"] is None:
        return sentences
    training = first_tokens(sentences, data["tokens"])
    if not second:
        return training
    deque(training, maxlen=0)
    return first_tokens(sentences, SECOND)
