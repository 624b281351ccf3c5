"""Semitic-like words from real roots, templates and affixes, romanised with vowels, with gold roots and segments.

A template is written with 1, 2 and 3 for the letters of the root: `ma12uu3` with k-t-b gives maktuub. Long vowels are
doubled. There are only sound roots, and templates without doubled letters: nothing is assimilated or dropped, so that every word is the sum of its parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from binyan.errors import SettingsError
from binyan.segmentation import Part, Segmentation


@dataclass(frozen=True)
class SemiticWord:
    """A word, its root, and its segmentation into PRE, ROOT, TEMPLATE and SUF, root and template interleaved."""

    word: str
    root: str
    segmentation: Segmentation


@dataclass(frozen=True)
class _Pattern:
    """Templates that take the same affixes; the empty affix is `_`."""

    templates: tuple[str, ...]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]


def _pattern(templates: str, prefixes: str, suffixes: str) -> _Pattern:
    return _Pattern(tuple(templates.split()), tuple(prefixes.split()), tuple(suffixes.split()))


_ARABIC_ROOTS = (
    "ktb drs ʕlm ḥml qtl fhm ʕml jls ḫrj dḫl šrb lʕb ḥfẓ ṣnʕ qbl rkb nzl ftḥ ġlq ʕrf šhd nṣr ẓlm ṭlb kšf bḥṯ ḥkm ḥsb rsm jmʕ "
    "ġsl ṭbḫ zrʕ ḥṣd sbḥ rqṣ ḍrb ksr šrḥ nqš"
)
_HEBREW_ROOTS = (
    "ktv lmd šmr gdl spr šlm ʕzr zxr sgr gnv rqd mlx šmʕ xšv rgš lvš šlx ptx qšr rdf nšq smx qlt xzq glš ʕrx qvl xlm dlq rtm "
    "xqr mšl nqm sxq plš nʕl trm šdr bšl tqn"
)
_LANGUAGES = {
    "arabic": (
        tuple(_ARABIC_ROOTS.split()),
        (
            _pattern("1a2a3 1aa2a3 1a2i3 ʔa12a3 in1a2a3 ista12a3 ta1aa2a3", "_ wa fa", "a at tu ta naa uu tum na"),
            _pattern("12u3 12a3 12i3 sta12i3", "ya ta ʔa na saya wata", "u uuna aani na"),
            _pattern(
                "1aa2i3 ma12uu3 mu12i3 mu1aa2i3 1a2ii3 musta12i3", "_ al wal bil lil", "_ un in a uuna iina at aat"
            ),
            _pattern("ma12a3 1i2aa3 1u2uu3 ta12ii3 1a2a3 1i2aa3at", "_ al wal bil lil", "_ un in hu haa ka ii hum naa"),
        ),
    ),
    "hebrew": (
        tuple(_HEBREW_ROOTS.split()),
        (
            _pattern("1a2a3 1i2e3 ni12a3 hi12i3 hit1a2e3 1u2a3", "_ še ve", "_ ti ta nu tem u a"),
            _pattern("12o3 12a3", "yi ti ni veyi šeyi", "_ u"),
            _pattern("a12i3 it1a2e3 e1a2e3", "y t n vey šey", "_ u"),
            _pattern("1o2e3 1a2u3 me1a2e3 ma12i3 mit1a2e3 ni12a3", "_ ha ve še", "_ et im ot"),
            _pattern("mi12a3 1i2u3 ha12a3a 1a2i3ut ta12i3 mi12e3et", "_ ha ba la me ve", "_ im ot i xa enu"),
        ),
    ),
}


def semitic_words(number: int = 2000, seed: int = 1, language: str = "hebrew") -> list[SemiticWord]:
    """`number` different words of `language` (hebrew or arabic); common roots, templates and affixes occur more.

    >>> words = semitic_words(3, seed=1, language="arabic")
    >>> all(w.segmentation.word == w.word for w in words)
    True
    """
    if language not in _LANGUAGES:
        raise SettingsError(f"there are roots and templates of {' and '.join(_LANGUAGES)}, not of {language!r}")
    roots, patterns = _LANGUAGES[language]
    random = Random(seed)
    possible = len(roots) * sum(len(p.templates) * len(p.prefixes) * len(p.suffixes) for p in patterns)
    if number > possible // 4:
        raise SettingsError(f"at most {possible // 4:,} different words of {language} are made, not {number:,}")
    words: dict[str, SemiticWord] = {}
    while len(words) < number:
        pattern = random.choice(patterns)
        root, template, prefix, suffix = (
            choices[int(len(choices) * random.random() ** 1.5)]
            for choices in (roots, pattern.templates, pattern.prefixes, pattern.suffixes)
        )
        word = inflect(root, template, prefix.replace("_", ""), suffix.replace("_", ""))
        words.setdefault(word.word, word)
    return list(words.values())


def inflect(root: str, template: str, prefix: str = "", suffix: str = "") -> SemiticWord:
    """A word from its root of three letters, a template and affixes.

    >>> noun = inflect("ktb", "ma12uu3", "al", "un")
    >>> print(noun.word, noun.segmentation)
    almaktuubun al@0,1/PRE ktb@4,5,8/ROOT mauu@2,3,6,7/TEMPLATE un@9,10/SUF
    """
    stem = "".join(root[int(c) - 1] if c in "123" else c for c in template)
    first, last = len(prefix), len(prefix) + len(stem)
    radicals = tuple(first + i for i, c in enumerate(template) if c in "123")
    others = tuple(first + i for i, c in enumerate(template) if c not in "123")
    word = prefix + stem + suffix
    parts = [
        Part(prefix, "PRE", positions=tuple(range(first))),
        Part("".join(word[i] for i in radicals), "ROOT", positions=radicals),
        Part("".join(word[i] for i in others), "TEMPLATE", positions=others),
        Part(suffix, "SUF", positions=tuple(range(last, len(word)))),
    ]
    return SemiticWord(word, root, Segmentation(word, tuple(part for part in parts if part.text)))
