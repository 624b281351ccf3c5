"""The demonstration data: what is promised of it, and that a seed always gives the same."""

from itertools import pairwise

import pytest

from binyan.datasets import german_text, semitic_words
from binyan.datasets.german_words import FIELDS
from binyan.errors import SettingsError
from binyan.signature import digest


@pytest.fixture(scope="module")
def text():
    return german_text()


def test_german_text_has_unseen_compounds_of_seen_parts(text):
    words = [word for sentence in text.train for word in sentence]
    seen = set(words)
    assert 0.08 < sum(word in text.segmentations for word in words) / len(words) < 0.2
    assert len(text.unseen_compounds) > 50
    parts = {part for word in seen for part in text.segmentations.components(word, "delete")}
    known = [all(p in parts for p in text.segmentations.components(w, "delete")) for w in text.unseen_compounds]
    assert sum(known) / len(known) > 0.9
    assert {word for s in text.test for word in s} - seen <= set(text.segmentations) | {"hohes"}


def test_articles_agree_with_the_head(text):
    genders = {noun.singular: noun.gender for field in FIELDS for noun in field.nouns}
    plurals = {noun.plural for field in FIELDS for noun in field.nouns}
    checked = 0
    for sentence in text.train:
        for article, word in pairwise(sentence):
            head = text.segmentations.components(word)[-1]
            if head in genders and head not in plurals and article in ("das", "den", "eine", "einen"):
                assert genders[head] == {"das": "n", "den": "m", "eine": "f", "einen": "m"}[article]
                checked += 1
    assert checked > 500


def test_linking_elements_occur_in_all_forms(text):
    links = {part.text for row in text.segmentations.values() for part in row if part.linking}
    assert {"s", "n", "en", "er", "es"} <= links
    assert {len(row) for row in text.segmentations.values()} == {2, 3}


@pytest.mark.parametrize("language", ["hebrew", "arabic"])
def test_semitic_words_are_their_roots_templates_and_affixes(language):
    words = semitic_words(500, seed=2, language=language)
    assert len({made.word for made in words}) == 500
    for made in words:
        labels = {part.label: part for part in made.segmentation}
        assert labels["ROOT"].text == made.root
        assert len(labels["ROOT"].positions) == 3
        assert "".join(made.word[i] for i in labels["ROOT"].positions) == made.root


def test_a_seed_always_gives_the_same():
    text = german_text(200, 20, seed=7)
    assert text == german_text(200, 20, seed=7) != german_text(200, 20, seed=8)
    assert digest("\n".join(" ".join(s) for s in text.train).encode()) == "788975620a4f3eb4"
    words = semitic_words(300, seed=7)
    assert digest("\n".join(made.word for made in words).encode()) == "ef4f6595df1df1ff"


def test_what_cannot_be_made_is_said():
    with pytest.raises(SettingsError, match="arabic and hebrew"):
        semitic_words(10, language="klingon")
    with pytest.raises(SettingsError, match="at most"):
        semitic_words(10**6)
