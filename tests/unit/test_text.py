"""Reading, preparation, atoms, vocabularies, corpora: tables of input and expected output."""

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

from binyan.errors import InputError, SettingsError
from binyan.morphology import WordList
from binyan.text import (
    Corpus,
    Preparation,
    Vocabulary,
    VocabularyPolicy,
    atoms,
    read_lines,
    read_sentences,
    read_tagged,
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("haus", ["h", "a", "u", "s"]),
        ("نَّ", ["نَّ"]),  # noon with shadda and fatha is one letter
        ("שָׁלוֹם", ["שָׁ", "ל", "וֹ", "ם"]),
        ("की", ["की"]),  # kpu/kenlm#136: Hindi split into bare vowel signs
        ("", []),
    ],
)
def test_atoms_keep_letters_whole(word, expected):
    assert atoms(word) == expected


@pytest.mark.parametrize(
    ("preparation", "line", "expected"),
    [
        (Preparation(), "Das  Haus,\tneu ", ["Das", "Haus,", "neu"]),
        (Preparation(tokenise="de"), "Das Haus, neu.", ["Das", "Haus", ",", "neu", "."]),
        (Preparation(tokenise="en"), "Tom & Ann", ["Tom", "&", "Ann"]),
        (
            Preparation(tokenise="fr"),
            "l'unkx <unk>, <unk> <unk>",
            ["l'", "unkx", "<", "unk", ">", ",", "<unk>", "<unk>"],
        ),
        (Preparation(lowercase=True, digits=True), "15.1% GROSS", ["00.0%", "gross"]),
        (Preparation(normalise="nfc"), "e\u0301", ["é"]),
        (Preparation(normalise="nfkc"), "ﬁn", ["fin"]),
        (Preparation(strip_marks=True), "شَمْس", ["شمس"]),
        (Preparation(punctuation=True), "„so“", ['"so"']),
    ],
)
def test_preparation(preparation, line, expected):
    assert preparation(line) == expected
    assert Preparation.from_dict(preparation.to_dict()) == preparation


def test_nothing_is_normalised_by_default():
    assert Preparation()("ﬁn e\u0301 İ") == ["ﬁn", "e\u0301", "İ"]


def test_unknown_normal_form():
    with pytest.raises(SettingsError, match="nfx"):
        Preparation(normalise="nfx")


@pytest.mark.parametrize("pack", [lambda b: b, gzip.compress, lzma.compress])
def test_packed_text_is_recognised_by_content(tmp_path, pack):
    path = tmp_path / "text"
    path.write_bytes(pack("ein Haus\r\n\nzwei Höfe".encode()))
    assert list(read_lines(path)) == [(1, "ein Haus"), (2, ""), (3, "zwei Höfe")]
    assert list(read_sentences(path)) == [["ein", "Haus"], ["zwei", "Höfe"]]
    assert list(read_sentences(path, keep_blank=True)) == [["ein", "Haus"], [], ["zwei", "Höfe"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"gut\nsch\xf6n\n", r"text:2: not UTF-8: byte 0xf6 at column 4"),
        (b"a\0b\n", "binary"),
        (b"\xff\xfea\0", "UTF-16"),
        (b"a " + b"x" * 5000, "word of 5,000 characters"),
        (lzma.compress(b"hallo " * 1000)[:60], "cannot be unpacked"),
    ],
)
def test_bad_text_is_refused(tmp_path, content, message):
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_sentences(path))


def test_conllu(tmp_path):
    path = tmp_path / "x.conllu"
    row = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    path.write_text(
        "# sent\n" + row.format("1-2", "im", "_") + row.format(1, "In", "ADP") + row.format(2, "dem", "DET") + "\n"
    )
    (sentence,) = read_tagged(path)
    assert (sentence.words, sentence.tags) == (["In", "dem"], ["ADP", "DET"])
    assert list(read_sentences(path, Preparation(lowercase=True))) == [["in", "dem"]]
    path.write_text("1\tnur\tdrei\n")
    with pytest.raises(InputError, match=r"x.conllu:1: 3 columns"):
        list(read_tagged(path))


def test_vocabulary_file(tmp_path):
    path = tmp_path / "v"
    path.write_text("<unk>\nhaus\nhof\n")
    assert Vocabulary.read(path).words == ["<unk>", "<s>", "</s>", "haus", "hof"]
    path.write_text("haus\nhof\nhaus\n")
    with pytest.raises(InputError, match=r"v:3: 'haus' is already on line 1"):
        Vocabulary.read(path)
    path.write_text("\n")
    with pytest.raises(InputError, match="no words"):
        Vocabulary.read(path)


def test_going_through_a_vocabulary_ends():
    vocabulary = Vocabulary(["a", "b"])
    assert list(vocabulary) == vocabulary.words


def test_vocabulary_round_trip():
    for words in ([], ["haus", "größe"]):
        vocabulary = Vocabulary(words)
        assert Vocabulary.from_bytes(vocabulary.to_bytes()) == vocabulary


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (VocabularyPolicy(), ["b", "a", "c", "д", "е"]),
        (VocabularyPolicy(min_count=2), ["b", "a"]),
        (VocabularyPolicy(script="cyrillic"), ["д", "е"]),
        (VocabularyPolicy(vocabulary=Vocabulary(["a", "z"])), ["a", "z"]),
        (VocabularyPolicy(kappa=1.0), ["b", "a"]),
    ],
)
def test_vocabulary_policies(policy, expected):
    assert policy.choose(["a", "b", "c", "д", "е"], np.array([2, 3, 1, 1, 1])).words[3:] == expected


def test_kappa_leaves_out_that_share_of_singletons():
    types = [f"w{i}" for i in range(1000)]
    kept = [VocabularyPolicy(kappa=0.2, seed=s).choose(types, np.ones(1000)).words for s in (1, 1, 2)]
    assert len(kept[0]) == 803
    assert kept[0] == kept[1] != kept[2]


def test_corpus(tmp_path):
    corpus = Corpus.read(["b a b", "c"], policy=VocabularyPolicy(min_count=2))
    assert corpus.vocabulary.words[3:] == ["b"]
    assert corpus.words.tolist() == [3, 0, 3, 0]
    assert corpus.offsets.tolist() == [0, 3, 4]
    assert (corpus.sentences, corpus.events) == (2, 6)
    assert corpus.decode(0) == ["b", "<unk>", "b"]
    again = Corpus.encode([["b", "x", "b"], ["c"]], corpus.vocabulary)
    assert again.digest == corpus.digest
    files = [tmp_path / "1", tmp_path / "2"]
    for path, text in zip(files, ("b a b\n", "c\n"), strict=True):
        path.write_text(text)
    assert Corpus.read(files, policy=VocabularyPolicy(min_count=2)).digest == corpus.digest


def test_corpus_without_sentences_or_with_boundaries(tmp_path):
    path = tmp_path / "empty"
    path.write_text("\n \n")
    with pytest.raises(InputError, match="empty: no sentence"):
        Corpus.read(path)
    with pytest.raises(InputError, match="</s> as a word"):
        Corpus.read(["a </s>"])
    with pytest.raises(InputError, match="no such file"):
        Corpus.read(Path("no/such/file"))


def test_characters_that_cannot_be_seen_are_reported_and_kept(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("ka\u200dtab\nkatab\u200f\nkitab\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="words: 2 words hold .*zero width joiner, right-to-left mark.*they are kept"):
        assert len(WordList.read(tmp_path / "words")) == 3
    with pytest.warns(UserWarning, match="2 words hold"):
        assert len(Corpus.read(tmp_path / "words").vocabulary) == 6


@pytest.mark.parametrize(
    ("language", "word", "lower"),
    [
        ("tr", "IŞIK", "ışık"),
        ("tr", "İSTANBUL", "istanbul"),
        ("tr", "I\u0307zmir", "izmir"),  # decomposed
        ("az", "İLIQ", "ilıq"),
        ("tr-TR", "ILIK", "ılık"),
        ("lt", "Ì", "i\u0307\u0300"),
        ("lt", "J\u0303", "j\u0307\u0303"),
        ("lt", "ILGAS", "ilgas"),
        ("el", "ΟΔΟΣ", "οδος"),
        ("de", "GROẞ", "groß"),
        ("en", "IRON", "iron"),
        (None, "ΣΟΦΟΣ", "σοφος"),
    ],
)
def test_lower_case_is_that_of_the_language(language, word, lower):
    assert Preparation(lowercase=True, locale=language).words([word]) == [lower]
    if language in ("tr", "el", "de", "en", "lt") and word.isalpha():
        assert Preparation(lowercase=True, tokenise=language)(word) == [lower]


def test_models_of_version_0_1_keep_their_lower_case():
    stored = {"normalise": "none", "punctuation": False, "tokenise": "tr", "strip_marks": False, "lowercase": True}
    old = Preparation.from_dict({**stored, "digits": False})
    assert old.words(["IŞIK"]) == ["işik"]
    assert Preparation.from_dict(old.to_dict()) == old
    assert Preparation.from_dict({**stored, "tokenise": "de", "digits": False}) == Preparation(
        tokenise="de", lowercase=True
    )


def test_a_packed_file_that_expands_without_end_is_refused(tmp_path, monkeypatch):
    from binyan.text import reading

    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"a b\n" * 3_000_000))
    monkeypatch.setattr(reading, "_EXPANDS_FREELY", 1 << 20)
    monkeypatch.setattr(reading, "_MOST_EXPANSION", 100)
    with pytest.raises(InputError, match="times its size"):
        Corpus.read(tmp_path / "bomb.gz")
    monkeypatch.setattr(reading, "_MOST_EXPANSION", 2000)
    assert Corpus.read(tmp_path / "bomb.gz").sentences == 3_000_000
