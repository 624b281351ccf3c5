"""Word maps in files: segmentations, factors of any kind (`word`, tab, `lemma=go pos=VERB`), or annotated text in CoNLL-U."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from binyan.errors import InputError
from binyan.files import PathLike
from binyan.segmentation.factor_table import FactorTable, letters_of, origin_of, parse_factors
from binyan.segmentation.letter_factors import LetterFactors
from binyan.segmentation.segmentation import Segmentation
from binyan.segmentation.table import SegmentationTable
from binyan.text.preparation import Preparation
from binyan.text.reading import is_conllu, read_conllu_rows, read_lines

WordMapTable = SegmentationTable | FactorTable
"""What language models take factors of words from."""

_NAMED = re.compile(r"[^\W\d][\w.-]*=.+", re.DOTALL)
_LOOKED_AT = 100  # rows by which the format is told
_MOST_WORDS = 5_000_000  # different ones, of a CoNLL-U file


def word_map_of_any(
    given: WordMapTable | Mapping[str, str | Segmentation] | PathLike, preparation: Preparation | None = None
) -> WordMapTable:
    """A table as it is, from a file of any format below, or from a mapping of words to their parts or to `name=value` factors.

    >>> word_map_of_any({"went": "lemma=go pos=VERB"}).factors("went")
    ['lemma=go', 'pos=VERB']
    >>> word_map_of_any({"walked": "walk ed"}).factors("walked")
    ['walk', 'ed']
    """
    if isinstance(given, (SegmentationTable, FactorTable)):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read_word_map(given, preparation)
    written = {word: parts for word, parts in given.items() if isinstance(parts, str)}
    if written and len(written) == len(given) and all(map(_is_named, written.values())):
        return FactorTable({word: factors.split(" ") for word, factors in written.items()})
    return SegmentationTable.of_any(given)


def read_word_map(path: PathLike, preparation: Preparation | None = None) -> WordMapTable:
    """The word map of a file: CoNLL-U by its name (.conllu), factors where every row has `name=value`, else segmentations.

    The words of CoNLL-U are prepared as those of the model's text are. Whatever is wrong with a row is refused with its line.
    """
    if is_conllu(path):
        return read_conllu(path, preparation)
    rows = (line for _, line in read_lines(path) if line.strip(" \t") and not line.startswith("#"))
    first = [line for line, _ in zip(rows, range(_LOOKED_AT), strict=False)]
    if (first and all(_is_named(line.partition("\t")[2]) for line in first)) or (not first and _asks_for_letters(path)):
        return read_factors(path)
    return SegmentationTable.read(path)


def read_factors(path: PathLike) -> FactorTable:
    """Read the text format of factors. A heading `# letters: first=5 last=2,3` gives all words their letters as factors."""
    rows: dict[str, tuple[str, ...]] = {}
    lines: dict[str, int] = {}
    letters: LetterFactors | None = None
    origin = ""
    for number, line in read_lines(path):
        letters, origin = letters_of(line) or letters, origin_of(line) or origin
        if not line.strip(" \t") or line.startswith("#"):
            continue
        try:
            word, factors = parse_factors(line)
            for factor in factors:
                if not _NAMED.fullmatch(factor):
                    raise InputError(f"the factor {factor!r} of {word!r} has no name; write it as name=value")
            if rows.setdefault(word, factors) != factors:
                raise InputError(f"{word!r} has other factors on line {lines[word]}; keep one row per word")
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from error
        lines.setdefault(word, number)
    return FactorTable(rows, letters, origin=origin)


def read_conllu(path: PathLike, preparation: Preparation | None = None) -> FactorTable:
    """Lemma, part of speech and features of each word of a CoNLL-U file; of several analyses of a word, the most frequent.

    Of equally frequent ones the first is taken. The factors are named `lemma`, `pos`, and as the features are: `Case=Nom`.
    """
    prepare = preparation or Preparation()
    counts: dict[str, Counter[tuple[str, ...]]] = {}
    for columns in filter(None, read_conllu_rows(path)):
        [word] = prepare.words([columns[1]])
        counts.setdefault(word, Counter())[_annotations(columns, prepare)] += 1
        if len(counts) > _MOST_WORDS:
            raise InputError(f"{path}: over {_MOST_WORDS:,} different words; give a smaller file")
    return FactorTable({word: counted.most_common(1)[0][0] for word, counted in counts.items()})


def _annotations(columns: Sequence[str], prepare: Preparation) -> tuple[str, ...]:
    lemma, pos, features = columns[2], columns[3], columns[5]
    factors = [f"lemma={prepare.words([lemma])[0]}"] if lemma != "_" else []
    factors += [f"pos={pos}"] if pos != "_" else []
    return (*factors, *(features.split("|") if features != "_" else ()))


def _is_named(factors: str) -> bool:
    return bool(factors) and all(_NAMED.fullmatch(token) for token in factors.split(" "))


def _asks_for_letters(path: PathLike) -> bool:
    return any(letters_of(line) for number, line in read_lines(path) if number <= _LOOKED_AT)
