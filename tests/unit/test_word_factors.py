"""Word maps with factors of any kind: letters, lemmas, roots and templates; learnt, read, stored, and found for unknown words."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import binyan
from binyan.errors import InputError, SettingsError
from binyan.log_bilinear.factor_map import FactorMap, MapWarning
from binyan.morphology.analysis import Analysis
from binyan.morphology.frozen_grammar import FrozenGrammar
from binyan.morphology.kept_maps import learn_or_take
from binyan.morphology.map_learning import MapSettings, _most_probable, by_script, learn_map
from binyan.morphology.map_sources import MapLearner
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.factor_table import FactorTable
from binyan.segmentation.letter_factors import LetterFactors
from binyan.segmentation.word_map_file import read_word_map
from binyan.text import Preparation, Vocabulary

STEMS, ENDINGS = ("walk", "talk", "jump", "kick", "look"), ("s", "ed", "ing", "")
WORDS = [stem + ending for stem in STEMS for ending in ENDINGS]
ROOTS = ("ktb", "drs", "qtl", "slm", "hml", "nzr", "fth", "rsm")
CONLLU = (
    "# text = Houses fell\n1\tHouses\thouse\tNOUN\t_\tNumber=Plur\t0\troot\t_\t_\n2-3\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tfell\tfall\tVERB\t_\t_\t1\tx\t_\t_\n\n1\tfell\tfell\tNOUN\t_\t_\t0\troot\t_\t_\n\n1\tfell\tfall\tVERB\t_\t_\t0\troot\t_\t_\n"
)


def sentences(words: list[str]) -> list[str]:
    return [" ".join(words[(i + k) % len(words)] for k in range(4)) for i in range(3 * len(words))]


def test_letters_of_words():
    letters = LetterFactors(first=(2,), last=(1,), ngrams=(2,))
    assert letters("abc") == ("first=ab", "last=c", "ngram=^a", "ngram=ab", "ngram=bc", "ngram=c$")
    assert letters("12.") == () and LetterFactors(first=(3,))("abc") == ()
    for wrong in ("first=0", "last=21", "", "middle=2", "last=2 last=3", "last=1,2,3,4,5,6,7,8,9"):
        with pytest.raises(SettingsError, match="letters as factors"):
            LetterFactors.parse(wrong)


def test_factors_are_read_and_written(tmp_path: Path):
    path = tmp_path / "f.tsv"
    path.write_text("# letters: last=2\nwent\tlemma=go pos=VERB\nund/oder\tpos=CCONJ form=a\\sb\n")
    table = read_word_map(path)
    assert isinstance(table, FactorTable) and table["und/oder"] == ("pos=CCONJ", "form=a b")
    assert table.factors("went") == ["lemma=go", "pos=VERB", "last=nt"] and table.factors("new") == ["last=ew"]
    table.write(tmp_path / "again.tsv", "how it was made")
    again = read_word_map(tmp_path / "again.tsv")
    assert (
        dict(again) == dict(table) and again.digest == table.digest == FactorTable.from_bytes(table.to_bytes()).digest
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("went\tlemma=go\nwent\tlemma=wend\n", ":2: 'went' has other factors on line 1"),
        ("went\tlemma=go\nx\ta=b c=d\ny\t" + " ".join(f"n{i}=x" for i in range(65)), ":3: 'y' has 65 factors"),
        ("went\tlemma=" + "g" * 300 + "\n", "306 characters"),
        ("went\tlemma=go\tx\n", "3 columns"),
    ],
)
def test_rows_of_factors_that_are_refused(tmp_path: Path, rows: str, message: str):
    (tmp_path / "f.tsv").write_text(rows)
    with pytest.raises(InputError, match=message):
        read_word_map(tmp_path / "f.tsv")


def test_a_row_without_names_among_factors_is_refused(tmp_path: Path):
    rows = "".join(f"w{i}\tpos=X\n" for i in range(120)) + "walked\twalk ed\n"
    (tmp_path / "f.tsv").write_text(rows)
    with pytest.raises(InputError, match=":121: the factor 'walk' of 'walked' has no name"):
        read_word_map(tmp_path / "f.tsv")
    (tmp_path / "s.tsv").write_text("walked\twalk ed\n")
    assert isinstance(read_word_map(tmp_path / "s.tsv"), SegmentationTable)


def test_annotated_text_gives_factors(tmp_path: Path):
    path = tmp_path / "t.conllu"
    path.write_text(CONLLU)
    table = read_word_map(path, Preparation(lowercase=True))
    assert dict(table) == {"houses": ("lemma=house", "pos=NOUN", "Number=Plur"), "fell": ("lemma=fall", "pos=VERB")}
    path.write_text("1\tHouses\thouse\n")
    with pytest.raises(InputError, match="3 columns where CoNLL-U has 10"):
        read_word_map(path)


def test_our_own_map_shares_endings_and_analyses_new_words():
    counts = {word: 1 for word in WORDS}
    learnt = learn_map(counts, ["looking", "42"], sweeps=60, progress=False, grammar="affixes", letters="none")
    assert all("".join(p.text for p in learnt.segmentations[w]) == w for w in WORDS)
    assert "42" not in learnt.factors and "grammar affixes" in learnt.origin == learnt.segmentations.origin
    assert len({f for w in WORDS for f in learnt.factors[w]}) < len(WORDS)
    frozen = learnt.factors.analyser
    assert isinstance(frozen, FrozenGrammar)
    again = FrozenGrammar.from_bytes(frozen.to_bytes())
    for word in ("barking", "jumpeds", "ßx"):
        assert again.factors(word) == frozen.factors(word) == tuple(learnt.factors.factors(word)) != ()
    assert again.factors("<unk>") == again.factors("12") == again.factors("x" * 41) == ()
    same = learn_map(counts, sweeps=60, progress=False, grammar="affixes")
    assert "last=ing" in same.factors.factors("barking") and same.origin.endswith(", and letters: first=5 last=2,3")
    assert same.factors.digest == learn_map(counts, sweeps=60, progress=False, grammar="affixes").factors.digest


def test_fewer_types_are_learnt_from_than_analysed():
    counts = {word: len(WORDS) - i for i, word in enumerate(WORDS)}
    learnt = learn_map(counts, types=8, sweeps=20, progress=False)
    assert set(learnt.factors) == set(WORDS)
    with pytest.raises(InputError, match="no word with a letter"):
        learn_map({"12": 3}, progress=False)
    with pytest.raises(SettingsError, match="1 sweep or more"):
        learn_map(counts, sweeps=0)


def test_the_grammar_follows_the_script():
    assert by_script(["كتاب", "مكتب", "walk"])[0] == "root-template"
    assert by_script(["كِتَابٌ", "مَكْتَبٌ"])[:2] == ("root-template-vocalised", "codepoint")
    assert by_script(["کتاب", "گفت", "چرا"])[0] == by_script(["dům", "12"])[0] == by_script(["12"])[0] == "affixes"


def test_roots_and_templates_reach_a_language_model(tmp_path: Path):
    words = [f"{a}{x}{b}{y}{c}" for a, b, c in ROOTS for x, y in ("ia", "aa", "uu")]
    learnt = learn_map({w: 1 for w in words}, grammar="tpl", sweeps=100, progress=False)
    roots = {f for w in words for f in learnt.factors[w] if f.startswith("root=")}
    assert "root=ktb" in roots and any(f.startswith("template=") for f in learnt.factors["kitab"])
    text = sentences(words)
    model = binyan.LogBilinear("clbl++", order=2, dim=4, epochs=2, batch=50, classes=3, word_map=learnt.factors)
    model.fit(text, text, progress=False)
    assert "root=ktb" in model.factor_map.morphemes and "grammar tpl" in model.description
    model.save(tmp_path / "m")
    loaded = binyan.load(tmp_path / "m")
    new = "kutab"
    assert new not in words and loaded.composer.known_morphemes(new) == model.composer.known_morphemes(new) != []
    score = model.score_sentences([[new, "kitab"]]).log_prob
    assert loaded.score_sentences([[new, "kitab"]]).log_prob.tolist() == score.tolist()
    assert loaded.segmentations.origin == learnt.origin


def test_additive_models_learn_their_map_by_default():
    text = sentences(WORDS)
    model = binyan.LogBilinear("clbl++", order=2, dim=4, epochs=1, batch=50, classes=3).fit(text, text, progress=False)
    assert model.factor_map.morphemes and model.summary()["word_map"].startswith("learnt by the grammar affixes")
    assert sum(model.next_words("walk").values()) == pytest.approx(1.0, abs=1e-4)
    letters = {"walk": "pos=VERB"}
    other = binyan.LogBilinear("clbl+c", order=2, dim=4, epochs=1, batch=50, classes=3, word_map=letters)
    assert other.fit(text, text, progress=False).factor_map.morphemes == ("pos=VERB",)


@pytest.mark.parametrize("kind", ["CompoundHPYLM", "InflectionHPYLM"])
def test_compound_models_learn_their_segmentation_by_default(kind: str):
    model = getattr(binyan, kind)(2, sweeps=3).fit(sentences(WORDS), progress=False)
    assert not model.coverage.missing
    assert sum(model.closed().next_words("walk").values()) == pytest.approx(1.0)


def test_a_map_of_other_words_is_refused_or_doubted():
    vocabulary = Vocabulary([f"{a}{b}{c}" for a in "abcdef" for b in "xyz" for c in "klmnop"])
    with pytest.raises(InputError, match="no word of the vocabulary"):
        FactorMap.from_segmentations(FactorTable({"went": ["lemma=go"]}), vocabulary)
    with pytest.warns(MapWarning, match="factors for only 1 of the 108 words"):
        FactorMap.from_segmentations(FactorTable({"axk": ["pos=X"]}), vocabulary)
    letters = FactorMap.from_segmentations(FactorTable({}, LetterFactors(last=(1,))), vocabulary, ["new", "zzk"])
    assert letters.morphemes == tuple(f"last={c}" for c in "klmnop") and letters.outside == ("zzk",)


def test_word_maps_are_learnt_by_our_own_morphology(tmp_path: Path):
    learnt = binyan.WordMap().fit(sentences(WORDS), also=["barking"], progress=False)
    assert "barking" in learnt and str(learnt.signature()).startswith("map:own|grammar:affixes")
    learnt.save(tmp_path / "map.tsv")
    assert dict(binyan.load(tmp_path / "map.tsv")) == dict(learnt)
    learnt.save(tmp_path / "factors.tsv", factors=True)
    table = read_word_map(tmp_path / "factors.tsv")
    assert isinstance(table, FactorTable) and set(table) == set(learnt)
    assert all("=" in factor for word in table for factor in table[word])
    with pytest.raises(SettingsError, match="has no grammar"):
        binyan.WordMap(method="flatcat", grammar="affixes")


def test_a_map_is_learnt_by_the_grammar_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert [MapLearner.named(name).name for name in ("own", "morfessor", "affixes", "auto", "x/my.grammar")] == [
        "own", "morfessor", "affixes", "auto", "x/my.grammar"
    ]  # fmt: skip
    assert MapLearner.named("map.tsv") is MapLearner.named(tmp_path / "map.tsv") is MapLearner.named({}) is None
    with pytest.raises(SettingsError, match="'afixes' is neither a file nor"):
        MapLearner.named("afixes")
    (tmp_path / "affixes").write_text("walked\twalk ed\n")
    assert MapLearner.named("affixes") is None
    text = sentences(WORDS)
    model = binyan.LogBilinear("clbl++", order=2, dim=4, epochs=1, batch=50, classes=3, word_map="concat")
    assert "word map learnt by the grammar concat: as asked for" in model.fit(text, text, progress=False).description


def test_a_learnt_map_is_kept_and_taken_again(tmp_path: Path):
    said: list[str] = []
    counts, settings = {word: 1 for word in WORDS}, MapSettings(sweeps=20, grammar="affixes")
    learnt = learn_or_take(counts, settings, tmp_path, said.append, False)
    again = learn_or_take(dict(reversed(counts.items())), settings, tmp_path, said.append, False)
    assert "kept for further training" in said[0] and "taken from there" in said[1] and len(said) == 2
    assert again.factors.digest == learnt.factors.digest and again.segmentations.digest == learnt.segmentations.digest
    assert again.origin == learnt.origin and again.origin.startswith(again.segmentations.origin)
    assert again.grammar == "affixes"
    assert again.factors.factors("barking") == learnt.factors.factors("barking") != []
    [path] = tmp_path.glob("word-map-*.binyan")
    learn_or_take(counts | {"walk": 2}, settings, tmp_path, None, False)
    learn_or_take(counts, replace(settings, seed=2), tmp_path, None, False)
    assert len(list(tmp_path.glob("word-map-*.binyan"))) == 3
    path.write_bytes(path.read_bytes()[:-5])
    assert learn_or_take(counts, settings, tmp_path, said.append, False).factors.digest == learnt.factors.digest
    assert "kept for further training" in said[2]


def test_training_takes_the_map_that_is_kept(tmp_path: Path):
    said: list[str] = []
    text = sentences(WORDS)
    learner = MapLearner("affixes", tmp_path, said.append)
    small = {"order": 2, "dim": 4, "epochs": 1, "batch": 50, "classes": 3}
    first, second = (
        binyan.LogBilinear("clbl++", word_map=learner, **small).fit(text, text, progress=False) for _ in range(2)
    )
    parts = binyan.InflectionHPYLM(segmentation=learner, sweeps=2, burn_in=0, samples=1).fit(text, progress=False)
    assert [message.rpartition("; ")[2] for message in said] == [
        "kept for further training on the same words",
        *2 * ["taken from there, nothing learnt anew"],
    ]
    assert first.signature() == second.signature() and parts.segmentation.digest
    recurrent = binyan.Recurrent("lstm++", dim=4, hidden=4, epochs=1, batch=20, word_map=learner)
    assert "word map learnt by the grammar affixes" in recurrent.fit(text, text, progress=False).description


def test_marks_are_letters_of_their_own_for_any_grammar():
    stems = ("كِتَاب", "بَاب", "قَلَم", "رَجُل", "وَلَد", "جَبَل")
    words = {stem + ending: 1 for stem in stems for ending in ("ٌ", "َ", "ِ")}
    learnt = learn_map(words, grammar="affixes", sweeps=40, progress=False)
    assert any(unicodedata.combining(part.text[0]) for word in words for part in learnt.segmentations[word])


def test_the_segmentation_of_a_map_is_the_one_with_most_of_the_probability():
    how = {"sweeps": 40, "burn_in": 10, "chains": 1, "snapshots": 1, "seed": 3}
    morphology = binyan.Morphology("affixes", unit="grapheme", **how).fit(WORDS, progress=False)
    undecided = 0
    for word in WORDS:
        sums: Counter[Segmentation] = Counter()
        for tree, probability in morphology.posterior.trees(word, 1000):
            sums[Analysis(word, tree, probability, morphology.grammar).segmentation] += probability
        undecided += morphology.posterior.trees(word, 1)[0][1] <= 0.5
        [best] = _most_probable(morphology, word)
        assert sums[best.segmentation] == pytest.approx(max(sums.values()))
    assert undecided
