"""A morphology among the estimators of scikit-learn, where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

import binyan
from binyan.errors import InputError, NotFittedError, SettingsError

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.validation import check_is_fitted

STEMS = ["walk", "talk", "jump", "look", "call", "open", "turn", "play"]
WORDS = [stem + ending for stem in STEMS for ending in ("s", "ed", "ing")]
ENDINGS = ["s", "ed", "ing"] * len(STEMS)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def quick() -> binyan.Morphology:
    return binyan.Morphology("concat", sweeps=30, chains=1, seed=2)


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_get_params_invariance",
        "check_parameters_default_constructible",
        "check_estimator_repr",
        "check_valid_tag_types",
    ],
)
def test_checks_that_are_not_about_numbers(check):
    if not hasattr(estimator_checks, check):
        pytest.skip("another version of scikit-learn")
    model = quick()
    before = model.get_params()
    getattr(estimator_checks, check)("Morphology", model)  # raises what is wrong
    assert model.get_params() == before and not model.is_fitted


def test_tags_and_fitness():
    tags = get_tags(quick())
    assert tags.input_tags.string and tags.input_tags.one_d_array and not tags.input_tags.two_d_array
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(quick())
    check_is_fitted(quick().fit(WORDS, progress=False))
    with pytest.raises(NotFittedError):
        quick().transform(["walks"])


def test_a_classifier_of_morphemes():
    pipeline = make_pipeline(quick(), CountVectorizer(analyzer=list), LogisticRegression())
    assert pipeline.fit(WORDS, ENDINGS).score(WORDS, ENDINGS) == 1.0
    assert list(clone(pipeline).fit(np.array(WORDS), ENDINGS).predict(np.array(["zooming", "zoomed"]))) == ["ing", "ed"]
    search = GridSearchCV(pipeline, {"morphology__sweeps": [5, 10], "morphology__seed": [1]}, cv=2)
    assert search.fit(WORDS, ENDINGS).best_params_["morphology__sweeps"] in (5, 10)
    assert "Morphology" in pipeline._repr_html_()


def test_columns_of_data_frames():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(WORDS)
    assert quick().fit_transform(series) == quick().fit_transform(WORDS)


@pytest.mark.parametrize("words", [[1.5], np.zeros((3, 2)), ["a", float("nan")], [None], [b"ab"], [["a"]]])
def test_what_is_no_word_is_named(words):
    with pytest.raises(InputError, match=r"item \d is .*give words as strings"):
        quick().fit(words)


def test_parameters_by_name():
    m = quick()
    assert clone(m).get_params() == m.get_params()
    assert m.set_params(sweeps=7).settings.sweeps == 7
    with pytest.raises(SettingsError):
        m.set_params(chains=0)
