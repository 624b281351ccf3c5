"""Named foldings of letters, as settings of the preparation of text."""

from __future__ import annotations

import pytest

from binyan.errors import SettingsError
from binyan.text import Preparation
from binyan.text.foldings import FOLDINGS, fold, unfold


@pytest.mark.parametrize(
    ("name", "word", "folded"),
    [
        ("final-letters", "מלך", "מלכ"),
        ("hamza", "سأل", "سءل"),
        ("hamza", "آكل", "ءاكل"),
        ("hamza-bare", "مؤمن", "مومن"),
        ("hamza-buckwalter", "s>l", "s'l"),
        ("hamza-buckwalter", "|kl", "'Akl"),
        ("marks-buckwalter", "muHam~adN", "mHmd"),
        ("vowels", "niš\u0101ṭef", "nšṭf"),
        ("vowels", "oi", "oi"),
        ("alif-maqsura", "على", "علي"),
        ("tatweel", "كـتاب", "كتاب"),
        ("matres", "שומר", "שמר"),
        ("matres", "ילד", "ילד"),
        ("matres-marked", "שומר", "שוֹמר"),
    ],
)
def test_a_folding_folds(name: str, word: str, folded: str) -> None:
    assert fold(word, (name,)) == folded
    assert Preparation(fold=name)(word) == [folded]


@pytest.mark.parametrize("word", ["מלכים", "ארץ", "שומר", "עיר", "אם"])
def test_what_is_called_reversible_is(word: str) -> None:
    names = tuple(name for name, folding in FOLDINGS.items() if folding.undo is not None)
    assert all("reversible" in FOLDINGS[name].help for name in names) and len(names) == 2
    assert unfold(fold(word, names), names) == word


def test_several_foldings_are_applied_in_order_and_stored() -> None:
    preparation = Preparation(fold="hamza,tatweel")
    assert preparation("سأـل") == ["سءل"]
    assert Preparation.from_dict(preparation.to_dict()) == preparation
    assert str(preparation) == "fold-hamza+fold-tatweel" and not preparation.is_plain


def test_a_folding_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingsError, match="did you mean hamza"):
        Preparation(fold="hamzah")
    with pytest.raises(SettingsError, match="cannot be undone"):
        unfold("سءل", ("hamza",))
