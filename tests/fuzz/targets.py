"""The readers under test: for each its seeds, its mutator and what is done with an input. Only BinyanErrors are allowed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from binyan.errors import BinyanError
from fuzz import seeds as corpus
from fuzz.mutate import Mutator, mutate_json, mutate_model, packed_mutator, text_mutator

_SHARED_MEMORY = Path("/dev/shm")


@dataclass
class Target:
    """A reader: `read` gets the input, as bytes or (the default) as the name of a file that holds it."""

    name: str
    make_seeds: Callable[[], Sequence[bytes]]
    mutate: Mutator
    read: Callable[[Any], object]
    suffix: str = ""
    takes_bytes: bool = False
    is_model: bool = False
    seeds: Sequence[bytes] = field(default_factory=list)

    def prepare(self) -> None:
        """Make the seeds, and import what is needed, once."""
        if not self.seeds:
            self.seeds = self.make_seeds()
            for seed in self.seeds:
                with suppress(BinyanError):
                    self.run(seed)

    def run(self, data: bytes) -> None:
        """Read an input."""
        if self.takes_bytes:
            self.read(data)
            return
        path = _folder() / f"{os.getpid()}{self.suffix}"
        path.write_bytes(data)
        self.read(path)


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="binyan-fuzz-", dir=_SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None))


def _sentences(path: Path) -> None:
    from binyan.text import Corpus, Preparation
    from binyan.text.reading import read_sentences

    list(read_sentences(path, Preparation(lowercase=True, tokenise="en") if path.stat().st_size % 8 == 0 else None))
    Corpus.read(path)


def _tagged(path: Path) -> None:
    from binyan.text.reading import read_sentences, read_tagged

    list(read_tagged(path))
    list(read_sentences(path))


def _word_list(path: Path) -> None:
    from binyan.morphology.word_list import WordList

    words = WordList.read(path)
    str(words.alphabet), words.digest


def _segmentations(path: Path) -> None:
    from binyan.segmentation import SegmentationTable

    table = SegmentationTable.read(path)
    SegmentationTable.from_bytes(table.to_bytes())


def _gold_compounds(path: Path) -> None:
    from binyan.segmentation.gold import gold_words, read_gold, recursive, simplex_words

    table = gold_words({"gold": read_gold(path)})
    recursive(table), simplex_words(table)


def _gold_morphemes(path: Path) -> None:
    from binyan.evaluation.gold import read_gold

    [word.stem for word in read_gold(path)]


def _field_data(path: Path) -> None:
    from binyan.morphology.exports import read_field_data

    data = read_field_data(path)
    str(data), data.known_rows, data.to_dict()


def _transducer(path: Path) -> None:
    from binyan.morphology.transducer import Transducer

    fst = Transducer.read(path)
    fst.log_probability("aab"), fst.analyse("aab", 2), fst.generate("a<stem>")


def _grammar(data: bytes) -> None:
    from binyan.errors import InputError
    from binyan.grammar.notation import read_grammar
    from binyan.grammar.parser import Parser

    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError("not UTF-8") from None
    grammar = read_grammar(text)
    grammar.expanded()
    if len(grammar.rules) < 400:
        Parser(grammar, ["abac"]).log_inside("abac")


def _tree(data: bytes) -> None:
    from binyan.grammar.tree import parse_tree

    tree = parse_tree(data.decode("utf-8", "replace"))
    str(tree), tree.svg()


def _arpa(path: Path) -> None:
    from binyan.ngram.arpa import ArpaModel

    model = ArpaModel.read(path, progress=False)
    model.score("a b c haus")
    model.distribution(model.begin())


def _classes(path: Path) -> None:
    from binyan.clustering import WordClasses

    classes = WordClasses.read(path)
    str(classes), classes.digest, classes.to_dict()


def _alignments(path: Path) -> None:
    from binyan.translation.alignment import Alignments, symmetrise

    alignments = Alignments.read(path)
    symmetrise(alignments, alignments)


def _rules(format: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        from binyan.translation.rule_text import read_rules

        rules = read_rules(path, format)
        list(rules.rules()), rules.to_bytes()

    return read


def _n_best(format: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        from binyan.text.reading import read_lines
        from binyan.translation.nbest import FORMATS, parse, read_lists

        if path.stat().st_size % 4 == 0:
            read_lists(path)
        for number, line in read_lines(path):
            FORMATS[format].write(parse(line, format, f"{path}:{number}"))

    return read


def _weights(path: Path) -> None:
    from binyan.translation.system_folder import read_weights

    read_weights(path)


def _rescoring_weights(path: Path) -> None:
    from binyan.translation.rescoring import _read_weights

    _read_weights(path)


def _system_settings(data: bytes) -> None:
    from binyan.translation.system_folder import SETTINGS, SystemFolder

    folder = _folder() / f"system-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    (folder / SETTINGS).write_bytes(data)
    SystemFolder(folder)


def _vocabulary(path: Path) -> None:
    from binyan.text.vocabulary import Vocabulary

    vocabulary = Vocabulary.read(path)
    assert len(vocabulary.native) == len(vocabulary)


def _word2vec(path: Path) -> None:
    from binyan.log_bilinear.vectors import read_word2vec

    read_word2vec(path)


def _word_pairs(path: Path) -> None:
    from binyan.log_bilinear.similarity import read_pairs

    read_pairs(path)


def _any_file(path: Path) -> None:
    from binyan import load

    load(path)


def _model(data: bytes) -> None:
    from binyan.model import from_bytes

    model = from_bytes(data)
    str(model.signature())
    for ask in _QUESTIONS:
        if hasattr(type(model), ask[0]):
            ask[1](model)


_QUESTIONS: tuple[tuple[str, Callable[[Any], object]], ...] = (
    ("score_word", lambda m: (m.score("a b haus <unk>"), m.distribution(m.begin()), m.explain("a b"))),
    ("analyses", lambda m: (m.analyses("כתב"), m.analyses("abab"), m.log_probability("ab"))),
    ("split", lambda m: (m.split("haustür"), m.split("gartenhaus"))),
    ("rules", lambda m: list(m.rules())),
)


@cache
def _explorer() -> Callable[[bytes], int]:
    from fuzz.explorer import make_client

    return make_client()


def _explorer_request(data: bytes) -> None:
    status = _explorer()(data)
    if status >= 500:
        raise AssertionError(f"the explorer answers {status}")


_GRAMMAR_WORDS = ("->", "-->", "|", "(", ")", ",", ":", "adapt", "start", "include", "role", "root", "*", "+", "?", "{", "}", "'", '"', "#", "_")  # fmt: skip
_text = text_mutator(" ", "\n", "<unk>", "<s>", "</s>")
_table = text_mutator("\t", " ", "+", "/", "@", ",", "-", "\n", "|", "_", "~")
_ngrams = text_mutator(
    "\\data\\", "ngram 1=", "\\1-grams:", "\\2-grams:", "\\end\\", "\t", "<unk>", "<s>", "</s>", "-99", "\n"
)
_grammars = text_mutator(*_GRAMMAR_WORDS)
_bars = text_mutator("|||", "[X]", "[X,1]", "[X,2]", "[X][X]", "[1]", "=", "0-0", "1-1", " ", "nan", "[S]")

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("text", corpus.texts, _text, _sentences),
        Target("text-packed", corpus.texts, packed_mutator(_text), _sentences, ".gz"),
        Target("conllu", corpus.conllu, text_mutator("\t", "_", "1-2", "1.1", "#", "\n\n"), _tagged, ".conllu"),
        Target("word-list", corpus.word_lists, _table, _word_list),
        Target("segmentations", corpus.segmentations, _table, _segmentations),
        Target("gold-compounds", corpus.gold_compounds, _table, _gold_compounds),
        Target("gold-morphemes", corpus.gold_morphemes, _table, _gold_morphemes),
        Target("lift", corpus.lift, text_mutator("<", ">", "&", '"', "<entry>", "</form>"), _field_data, ".lift"),
        Target(
            "flextext", corpus.flextext, text_mutator("<", ">", "&", '"', "<word>", "</item>"), _field_data, ".flextext"
        ),
        Target("att", corpus.att, text_mutator("\t", "\n", "@0@", "<stem>", "1", "-1", "nan", "inf"), _transducer),
        Target("grammar", corpus.grammars, _grammars, _grammar, takes_bytes=True),
        Target("py-cfg", corpus.py_cfg, _grammars, _grammar, takes_bytes=True),
        Target("py-srcag", corpus.py_srcag, _grammars, _grammar, takes_bytes=True),
        Target("tree", corpus.trees, text_mutator("(", ")", "=", "0=", " "), _tree, takes_bytes=True),
        Target("arpa", corpus.arpa, _ngrams, _arpa),
        Target("paths", corpus.classes, _table, _classes),
        Target("pharaoh", corpus.alignments, text_mutator("-", " ", "0-0", "\n"), _alignments),
        Target("rules-cdec", corpus.rules_cdec, _bars, _rules("cdec")),
        Target("rules-moses", corpus.rules_moses, _bars, _rules("moses")),
        *(
            Target(f"nbest-{f}", corpus.n_best(f), mutate_json if f == "json" else _bars, _n_best(f))
            for f in ("moses", "cdec", "plain", "json")
        ),
        Target("weights", corpus.weights, mutate_json, _weights),
        Target("rescoring-weights", corpus.weights, mutate_json, _rescoring_weights),
        Target("system-settings", corpus.system_settings, mutate_json, _system_settings, takes_bytes=True),
        Target("vocabulary", corpus.word_lists, _text, _vocabulary),
        Target("word2vec", corpus.word2vec, _text, _word2vec),
        Target("word-pairs", corpus.word_pairs, _table, _word_pairs),
        Target("any-file", corpus.any_files, _table, _any_file),
        Target("explorer", corpus.requests, mutate_json, _explorer_request, takes_bytes=True),
        *(
            Target(f"model-{kind}", make, mutate_model, _model, takes_bytes=True, is_model=True)
            for kind, make in corpus.models().items()
        ),
    )
}
