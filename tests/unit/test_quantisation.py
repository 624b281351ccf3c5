"""Back-off models with probabilities in few bits."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from binyan import _core
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.language_model import load
from binyan.ngram import quantisation
from binyan.ngram.backoff import _rows
from binyan.ngram.quantisation import codebook, encoded
from binyan.text import Corpus
from model_zoo import HELD_OUT, ngram_models


def test_bins_have_equal_size_and_stand_for_their_mean():
    values = np.array([-8, -7, -6, -5, -4, -3, -2, -1], np.float32)
    table = codebook(values, 2)
    assert table.tolist() == [-7.5, -5.5, -3.5, -1.5]
    assert table[encoded(values, table)].tolist() == [-7.5, -7.5, -5.5, -5.5, -3.5, -3.5, -1.5, -1.5]


def test_zero_and_impossible_stay_exact():
    values = np.concatenate([np.linspace(-9, -0.1, 50), np.zeros(5), [-np.inf]]).astype(np.float32)
    table = codebook(values, 3)
    rounded = table[encoded(values, table)]
    assert len(table) == 8 and (rounded[50:] == values[50:]).all() and (rounded[:50] < 0).all()
    assert np.isfinite(rounded[:50]).all()


def test_few_values_are_kept():
    values = np.array([-3, -1, -3, -2], np.float32)
    assert codebook(values, 2).tolist() == [-3, -2, -1]


@pytest.mark.parametrize("name", ["mkn", "arpa", "hpylm"])
@pytest.mark.parametrize("bits", [2, 8, 12])
def test_a_saved_model_is_the_quantised_one(name, bits, tmp_path):
    model = ngram_models()[name]
    small = model.quantised(bits)
    small.save(tmp_path / "small.binyan")
    again = load(tmp_path / "small.binyan")
    for part, values in small.native.arrays.items():
        assert np.array_equal(again.native.arrays[part], values), part
    arrays = small.native.arrays
    ends = arrays["first_entry"][arrays["context_base"][1:]].astype(int) * small.native.columns
    assert all(len(np.unique(v)) <= 1 << bits for v in np.split(arrays["log_prob"], ends[:-1]))
    loss = abs(np.log(small.perplexity(HELD_OUT) / model.perplexity(HELD_OUT)))
    assert loss < {2: 1.0, 8: 0.02, 12: 1e-3}[bits]
    assert again.signature() == small.signature() and small.signature().fields["quantised"] == bits


@pytest.mark.parametrize("name", ["mkn", "hpylm"])
@pytest.mark.parametrize("bits", [8, 16])
def test_codes_in_memory_answer_as_their_values_do(name, bits):
    small = ngram_models()[name].quantised(bits)
    plain = _core.BackoffModel(small.native.columns, **small.native.arrays)
    assert small.native.is_quantised and not plain.is_quantised
    assert {"log_prob", "log_backoff"}.isdisjoint(small.native.structure)
    corpus = Corpus.encode(HELD_OUT, small.vocabulary)
    once = small.native.score_sentences(corpus.words, corpus.offsets)
    small.native.build_index()
    for scores in (once, small.native.score_sentences(corpus.words, corpus.offsets)):
        for ours, theirs in zip(scores, plain.score_sentences(corpus.words, corpus.offsets), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    for state in range(0, plain.states, 5):
        np.testing.assert_array_equal(small.native.distribution(state), plain.distribution(state))


def test_damaged_codes_are_refused():
    model = ngram_models()["mkn"]
    structure, arrays = model.native.structure, model.native.arrays
    values = quantisation.coded(arrays, _rows(structure, 1), 4)
    codes, table, sizes, ends = values["log_prob"]
    for broken in (
        (np.where(codes == 3, 200, codes).astype(np.uint8), table, sizes, ends),
        (codes[:-1], table, sizes, ends),
        (codes, table[:-1], sizes, ends),
        (codes, table, sizes[:-1], ends),
        (codes, table, sizes, ends[::-1]),
        (codes, table, sizes, []),
    ):
        with pytest.raises(InputError):
            _core.BackoffModel.quantised(1, **structure, **values | {"log_prob": broken})


def test_what_cannot_be_is_refused():
    with pytest.raises(SettingsError, match="2 to 16 bits"):
        ngram_models()["mkn"].quantised(17)
    with pytest.raises(SettingsError, match="lm export"):
        ngram_models()["hpylm+g"].quantised()


def test_the_command(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(HELD_OUT) + "\n", encoding="utf-8")
    ngram_models()["mkn"].save(tmp_path / "m.binyan")
    options = ["--bits", "4", "--text", str(text), "--out", str(tmp_path / "s.binyan")]
    result = CliRunner().invoke(app, ["lm", "compress", str(tmp_path / "m.binyan"), *options])
    assert result.exit_code == 0 and "perplexity" in result.stdout and "before" in result.stdout
