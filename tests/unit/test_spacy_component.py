"""The component for spaCy, where spaCy is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

import binyan
from binyan.datasets import semitic_words
from binyan.errors import SettingsError
from binyan.morphology import Morphology

spacy = pytest.importorskip("spacy")
component = pytest.importorskip("binyan.morphology.spacy_component")

WORDS = [w.word for w in semitic_words(120, 3, "arabic")]


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("spacy") / "words.binyan"
    Morphology("tpl+t4", sweeps=20, burn_in=15, chains=1).fit(WORDS, progress=False).save(made)
    return made


@pytest.fixture
def nlp(path):
    pipeline = spacy.blank("xx")
    pipeline.add_pipe("binyan_morphology", config={"model": str(path)})
    return pipeline


def builds(doc):
    return [(t._.morphemes, t._.root, t._.template) for t in doc]


def test_tokens_have_what_the_model_says(nlp, path):
    model = binyan.load(path)
    doc = nlp(f"{WORDS[0]} 12 {WORDS[1]} zzzzz !")
    for token in doc:
        if token.is_alpha:
            assert list(token._.morphemes) == model.transform([token.text])[0]
            assert (token._.root, token._.template) == (model.root(token.text), model.template(token.text))
            assert token._.morphemes and all(isinstance(m, str) for m in token._.morphemes)
        else:
            assert token._.morphemes is None and token._.root is None
        assert not token.has_morph()
    assert any(token._.root for token in doc)


def test_pipelines_are_saved_with_their_model(nlp, path, tmp_path):
    text = " ".join(WORDS[:5])
    before = builds(nlp(text))
    nlp.to_disk(tmp_path / "pipeline")
    assert builds(spacy.load(tmp_path / "pipeline")(text)) == before
    moved = path.with_name("moved")
    path.rename(moved)  # a saved pipeline does not need the file it was made from
    try:
        assert builds(spacy.load(tmp_path / "pipeline")(text)) == before
    finally:
        moved.rename(path)
    other = spacy.blank("xx")
    other.add_pipe("binyan_morphology")
    assert builds(other.from_bytes(nlp.to_bytes())(text)) == before


def test_documents_keep_the_attributes(nlp):
    from spacy.tokens import DocBin

    text = " ".join(WORDS[:3])
    stored = DocBin(store_user_data=True, docs=[nlp(text)]).to_bytes()
    [doc] = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert builds(doc) == builds(nlp(text))


def test_many_documents(nlp):
    texts = [" ".join(WORDS[i : i + 4]) for i in range(0, 20, 4)]
    assert [builds(d) for d in nlp.pipe(texts)] == [builds(nlp(t)) for t in texts]


def test_without_a_model_or_with_a_wrong_one(tmp_path):
    pipeline = spacy.blank("xx")
    pipeline.add_pipe("binyan_morphology")
    with pytest.raises(SettingsError, match="give the component binyan_morphology a model"):
        pipeline("word")
    missing = spacy.blank("xx")
    missing.add_pipe("binyan_morphology", config={"model": str(tmp_path / "nothing")})
    with pytest.raises(SettingsError, match="nothing: no such file"):
        missing("word")
    (tmp_path / "text").write_text("no model")
    with pytest.raises(binyan.errors.ModelFileError):
        spacy.blank("xx").add_pipe("binyan_morphology", config={"model": str(tmp_path / "text")})


def test_tokens_that_are_no_words_of_the_grammar(nlp):
    long = "a" * 1500
    doc = nlp(f"{long} x")
    assert doc[0]._.morphemes == (long,) and doc[0]._.root is None


def test_a_model_can_be_put_in_place(nlp):
    english = Morphology("concat", sweeps=20, chains=1).fit(["walks", "walked", "talks", "talked"], progress=False)
    before = builds(nlp("talked"))
    nlp.get_pipe("binyan_morphology").morphology = english
    assert builds(nlp("talked")) != before and list(builds(nlp("talked"))[0][0]) == english.transform(["talked"])[0]
