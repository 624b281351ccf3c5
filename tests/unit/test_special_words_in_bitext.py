"""<unk>, <s> and </s> are marks of language models: as words of a bitext, of rules or of a text to translate they are refused."""

import pytest

from binyan.errors import InputError
from binyan.text.vocabulary import SPECIALS
from binyan.translation import Decoder, read_rules
from binyan.translation.bitext import Bitext, read_words


@pytest.mark.parametrize("mark", SPECIALS)
def test_marks_in_a_bitext_are_refused_with_their_line(tmp_path, mark):
    (tmp_path / "en").write_text(f"the house\nthe {mark} house\n")
    (tmp_path / "de").write_text("das haus\ndas haus\n")
    with pytest.raises(InputError, match=rf"en:2: holds {mark} as a word"):
        Bitext.read(tmp_path / "en", tmp_path / "de")
    with pytest.raises(InputError, match=rf"en:2: holds {mark} as a word"):
        Bitext.read(tmp_path / "de", tmp_path / "en")
    with pytest.raises(InputError, match=rf"sentence 2: holds {mark}"):
        read_words([["a"], ["b", mark]])
    with pytest.raises(InputError, match=rf"the bitext holds {mark}"):
        Bitext([["a", mark]], [["b"]]).vocabularies()


@pytest.mark.parametrize("mark", SPECIALS)
def test_marks_in_rules_are_refused_with_their_line(tmp_path, mark):
    for source, target in (("a", mark), (mark, "b")):
        (tmp_path / "g").write_text(f"[X] ||| a ||| das ||| f=0.1\n[X] ||| {source} ||| {target} ||| f=0.1\n")
        with pytest.raises(InputError, match=rf"g:2: {mark} is a mark of language models"):
            read_rules(tmp_path / "g")


@pytest.mark.parametrize("mark", SPECIALS)
def test_marks_in_text_to_translate_are_refused(tmp_path, mark):
    (tmp_path / "g").write_text("[X] ||| a ||| das ||| f=0.1\n")
    decoder = Decoder(read_rules(tmp_path / "g"))
    with pytest.raises(InputError, match=f"holds {mark} as a word"):
        decoder.translate([["a"], ["a", mark]])
    assert decoder.translate([["a", "b"]])[0].words == ("das", "b")


def test_a_decoder_that_refused_a_sentence_still_translates(tmp_path):
    (tmp_path / "g").write_text("[X] ||| a ||| das ||| f=0.1\n")
    decoder = Decoder(read_rules(tmp_path / "g"))
    with pytest.raises(InputError):
        decoder.translate([["new", "<s>"]])
    assert decoder.translate([["a", "new"]])[0].words == ("das", "new")
