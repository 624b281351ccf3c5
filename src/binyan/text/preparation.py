"""What is done to text before a model sees it; stored in the model and applied again at query time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from binyan.errors import SettingsError
from binyan.settings import Settings, setting
from binyan.text.foldings import FOLDINGS, fold, folding_names
from binyan.text.lower_case import SPECIAL_LANGUAGES, lower_case

_NORMAL_FORMS = ("none", "nfc", "nfd", "nfkc", "nfkd")
_NO_LANGUAGE = "und"
_DIGIT = re.compile(r"\d")
_SPACES = re.compile(r"[\t-\r\x1c- ]+")
_OTHER_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


@dataclass(frozen=True)
class Preparation(Settings):
    """A recipe from a line of text to its words. By default only white space splits and nothing is changed.

    Steps, in this order: Unicode normal form, punctuation (curly quotes, dashes and the like made plain, as Moses does),
    tokenisation by sacremoses for a language, combining marks stripped, letters folded (see `binyan.text.foldings`), lowercase,
    digits to 0.

    >>> Preparation(lowercase=True, digits=True)("Im Jahr 1999")
    ['im', 'jahr', '0000']
    """

    normalise: str = setting("none", "Unicode normal form: none, nfc, nfd, nfkc or nfkd.")
    punctuation: bool = setting(False, "Replace quotes, dashes and the like by plain ones, as Moses does.")
    tokenise: str | None = setting(None, "Tokenise as Moses does for this language, e.g. de.", metavar="LANG")
    strip_marks: bool = setting(False, "Remove combining marks (vowel signs, accents).")
    lowercase: bool = setting(False, "Make all letters lower case.")
    digits: bool = setting(False, "Replace every digit by 0.")
    locale: str | None = setting(
        None,
        "Language whose rules for lower case apply (tr, az and lt have their own); by default that of --tokenise.",
        metavar="LANG",
    )
    fold: str | None = setting(
        None,
        f"Fold letters that morphology does not distinguish; names, separated by commas: {', '.join(FOLDINGS)}.",
        metavar="NAMES",
    )

    def __post_init__(self) -> None:
        folding_names(self.fold)
        if self.normalise not in _NORMAL_FORMS:
            raise SettingsError(f"normalisation is one of {', '.join(_NORMAL_FORMS)}, not {self.normalise!r}")

    def __call__(self, line: str) -> list[str]:
        """The words of `line`."""
        for step in _line_steps(self):
            line = step(line)
        return (
            self.words(tokeniser(line)) if (tokeniser := _tokeniser(self.tokenise)) else self.words(split_words(line))
        )

    def words(self, words: list[str]) -> list[str]:
        """Words that are tokenised already (CoNLL-U, lists of words), with the steps that concern single words."""
        if self.strip_marks or self.lowercase or self.digits or self.fold:
            return [self._word(w) for w in words]
        return words

    def _word(self, word: str) -> str:
        if self.strip_marks:
            word = _strip_marks(word)
        if self.fold:
            word = fold(word, folding_names(self.fold))
        if self.lowercase:
            word = lower_case(self.locale or self.tokenise)(word)
        return _DIGIT.sub("0", word) if self.digits else word

    @property
    def is_plain(self) -> bool:
        """Whether words are just what white space separates."""
        return replace(self, locale=None) == Preparation()

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Preparation:
        """The inverse of `to_dict`. Models of version 0.1 know lower case by Unicode's rules alone."""
        if odd := [name for name, value in stored.items() if not isinstance(value, (str, bool, type(None)))]:
            raise SettingsError(
                f"the preparation of the text has {odd[0]!r} set to what is neither text nor true or false"
            )
        old = "locale" not in stored and stored.get("tokenise") in SPECIAL_LANGUAGES
        return super().from_dict({**stored, "locale": _NO_LANGUAGE} if old else stored)

    def __str__(self) -> str:
        done = [self.normalise] if self.normalise != "none" else []
        done += [f"tokenise-{self.tokenise}"] if self.tokenise else []
        done += [name for name in ("punctuation", "strip_marks", "lowercase", "digits") if getattr(self, name)]
        done += [f"fold-{name}" for name in folding_names(self.fold)]
        done += [f"locale-{self.locale}"] if self.locale and self.lowercase else []
        return "+".join(done) or "plain"


def split_words(line: str) -> list[str]:
    """What ASCII white space separates.

    Other spaces, such as U+00A0, are letters unless normalisation (NFKC) removes them: so split KenLM, Moses and most tools,
    and the words of an ARPA file.

    >>> split_words(" 10\\u00a0000  Euro\\t")
    ['10\\xa0000', 'Euro']
    """
    if line.isascii() or not _OTHER_SPACES.search(line):
        return line.split()
    return [word for word in _SPACES.split(line) if word]


@lru_cache(maxsize=16)
def _line_steps(preparation: Preparation) -> tuple[Callable[[str], str], ...]:
    steps: list[Callable[[str], str]] = []
    if preparation.normalise != "none":
        form = preparation.normalise.upper()
        steps.append(lambda line: unicodedata.normalize(form, line))  # type: ignore[arg-type]
    if preparation.punctuation:
        from sacremoses import MosesPunctNormalizer

        steps.append(MosesPunctNormalizer(lang=preparation.tokenise or "en").normalize)
    return tuple(steps)


@lru_cache(maxsize=16)
def _tokeniser(language: str | None) -> Callable[[str], list[str]] | None:
    if language is None:
        return None
    from sacremoses import MosesTokenizer

    tokenise = MosesTokenizer(lang=language).tokenize
    return _keep_unknown(lambda line: tokenise(line, escape=False))


def _keep_unknown(tokenise: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """The same, but <unk> stays one word."""
    from binyan.text.vocabulary import UNKNOWN

    mark = re.compile(rf"(?<!\S){UNKNOWN}(?!\S)")

    def words(line: str) -> list[str]:
        if UNKNOWN not in line:
            return tokenise(line)
        stand_in = "unkx"
        while stand_in in line:
            stand_in += "x"
        return [UNKNOWN if word == stand_in else word for word in tokenise(mark.sub(stand_in, line))]

    return words


def _strip_marks(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))
