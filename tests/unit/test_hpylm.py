"""The HPYLM as a user meets it: training, files, resuming, averaging, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from binyan import model_file
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.language_model import load
from binyan.ngram.hpylm import HPYLM, HPYLMSampling
from binyan.sampling import Schedule
from binyan.text import Corpus, Preparation
from killed_training import resumes_bit_for_bit

TEXT = [
    "der alte hof",
    "der alte schulhof am alten hof",
    "die schule am hof",
    "der hof der alten schule",
    "",
    "die alte schule",
]


def sections_of(model: HPYLM) -> dict[str, Any]:
    return model.contents()[1]


def same(one: HPYLM, other: HPYLM) -> bool:
    a, b = sections_of(one), sections_of(other)
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("samples", [1, 3])
def test_sums_to_one_in_every_context(order: int, samples: int) -> None:
    model = HPYLM(order, schedule=Schedule(sweeps=10, samples=samples)).fit(TEXT)
    for state in range(model.native.states):
        chances = model.distribution(state)
        assert chances.sum() == pytest.approx(1.0, abs=1e-5)
        assert chances[1] == 0.0 and (np.delete(chances, 1) > 0).all()


def test_average_is_the_mean_of_samples() -> None:
    model = HPYLM(3, schedule=Schedule(sweeps=12, burn_in=3, samples=2, chains=2)).fit(TEXT)
    assert model.sampling is not None
    columns = model.sampling.chains.samples["unigrams"]
    assert columns.shape[1] == 4
    assert len({tuple(c) for c in columns.T.tolist()}) == 4
    np.testing.assert_allclose(model.distribution(0), np.exp(columns.astype(float)).mean(axis=1), rtol=1e-5, atol=1e-12)


def test_by_default_the_mean_of_ten_samples_is_one_table() -> None:
    """N-grams that were seen have the mean of their probabilities, and every context sums to one."""
    table, mean = HPYLM(3, sweeps=20).fit(TEXT), HPYLM(3, sweeps=20, samples=10).fit(TEXT)
    assert not table.is_average and mean.is_average and table.fields["samples"] == 10
    state, there = table.state_after(["der"]), mean.state_after(["der"])
    seen = [table.vocabulary.index[word] for word in ("alte", "hof")]  # what follows <s> der
    np.testing.assert_allclose(table.distribution(state)[seen], mean.distribution(there)[seen], rtol=1e-5)
    for state in range(table.native.states):
        assert table.distribution(state).sum() == pytest.approx(1.0, abs=1e-5)


def test_a_finished_table_is_resumed_without_its_samples(tmp_path: Path) -> None:
    path = tmp_path / "m"
    model = HPYLM(3, sweeps=12).fit(TEXT)
    model.save(path)
    assert not any("samples" in name for name in sections_of(model))
    same_again = HPYLM(3, sweeps=12).fit(TEXT, checkpoint=path, resume=True)
    assert same(same_again, model)
    longer = HPYLM(3, sweeps=20).fit(TEXT, checkpoint=path, resume=True)
    assert len(longer.trace[0]) == 20 and longer.fields["samples"] == 8  # one after each further sweep
    assert same(longer.one_sample(), HPYLM(3, sweeps=20).fit(TEXT).one_sample())


def test_threads_do_not_matter() -> None:
    schedule = Schedule(sweeps=8, chains=3)
    assert same(HPYLM(3, schedule=schedule).fit(TEXT, threads=1), HPYLM(3, schedule=schedule).fit(TEXT, threads=3))


def test_the_first_chain_does_not_depend_on_the_others() -> None:
    one = HPYLM(3, schedule=Schedule(sweeps=8)).fit(TEXT)
    three = HPYLM(3, schedule=Schedule(sweeps=8, chains=3)).fit(TEXT)
    np.testing.assert_array_equal(one.trace[0], three.trace[0])


@pytest.mark.parametrize("initialisation", ["sequential", "random"])
def test_saved_and_loaded(tmp_path: Path, initialisation: str) -> None:
    model = HPYLM(3, schedule=Schedule(sweeps=10, samples=2, initialisation=initialisation)).fit(TEXT)
    model.save(tmp_path / "full")
    model.save(tmp_path / "reduced", reduced=True)
    full, reduced = load(tmp_path / "full"), load(tmp_path / "reduced")
    assert isinstance(full, HPYLM) and isinstance(reduced, HPYLM)
    assert same(full, model)
    assert model.sampling is not None and reduced.sampling is None
    assert (tmp_path / "reduced").stat().st_size < (tmp_path / "full").stat().st_size
    sentences = [line.split() for line in TEXT] + [["nie", "gesehen"]]
    for other in (full, reduced):
        np.testing.assert_array_equal(
            other.score_sentences(sentences).log_prob, model.score_sentences(sentences).log_prob
        )
        assert str(other.signature()) == str(model.signature())
    np.testing.assert_array_equal(reduced.trace[0], model.trace[0])
    with pytest.raises(ModelFileError, match="cannot be resumed"):
        HPYLM(3, schedule=Schedule(sweeps=10, samples=2)).fit(TEXT, checkpoint=tmp_path / "reduced", resume=True)


def test_longer_training_takes_up_a_finished_one(tmp_path: Path) -> None:
    whole = HPYLM(3, schedule=Schedule(sweeps=20, chains=2)).fit(TEXT)
    HPYLM(3, schedule=Schedule(sweeps=9, chains=2)).fit(TEXT, checkpoint=tmp_path / "m")
    longer = HPYLM(3, schedule=Schedule(sweeps=20, chains=2)).fit(TEXT, checkpoint=tmp_path / "m", resume=True)
    assert same(longer, whole)


def test_interrupt_leaves_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    schedule = Schedule(sweeps=30, samples=3, chains=2)

    def interrupt(done: int, total: int | None, figures: dict[str, float]) -> None:
        if done == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        HPYLM(3, schedule=schedule).fit(TEXT, checkpoint=tmp_path / "m", progress=interrupt)
    early = load(tmp_path / "m")
    assert early.distribution(early.begin()).sum() == pytest.approx(1.0, abs=1e-5)
    resumed = HPYLM(3, schedule=schedule).fit(TEXT, checkpoint=tmp_path / "m", resume=True)
    assert same(resumed, HPYLM(3, schedule=schedule).fit(TEXT))


def uneven_checkpoint(path: Path, schedule: Schedule) -> None:
    """As a cluster leaves it: chain 0 has done all its sweeps, chain 1 has not begun."""
    sampling = HPYLMSampling(Corpus.read(TEXT), 3, schedule, Preparation())
    for _ in range(schedule.sweeps):
        sampling.advance(0)
    model_file.save(path, sampling.kind, *sampling.contents())


def test_a_chain_that_is_ahead_keeps_its_samples_or_is_refused(tmp_path: Path) -> None:
    """Samples that a chain has passed by were read as probability 1: the distribution of the next word summed to 3."""
    uneven_checkpoint(tmp_path / "m", Schedule(sweeps=10, samples=1, chains=2))
    with pytest.raises(SettingsError, match="chain 0 has done 10 sweeps"):
        HPYLM(3, sweeps=12, burn_in=6, samples=2, chains=2).fit(TEXT, checkpoint=tmp_path / "m", resume=True)
    later = HPYLM(3, sweeps=12, burn_in=10, samples=2, chains=2)
    resumed = later.fit(TEXT, checkpoint=tmp_path / "m", resume=True)
    assert same(resumed, HPYLM(3, sweeps=12, burn_in=10, samples=2, chains=2).fit(TEXT))
    for words in (["der"], ["der", "hund"]):
        assert resumed.distribution(resumed.state_after(words)).sum() == pytest.approx(1.0, abs=1e-5)


def test_a_sample_that_both_schedules_take_is_kept(tmp_path: Path) -> None:
    uneven_checkpoint(tmp_path / "m", Schedule(sweeps=10, burn_in=4, samples=3, chains=2))  # after 6, 8 and 10
    model = HPYLM(3, sweeps=14, burn_in=2, samples=6, chains=2)  # after 4, 6, 8, 10, 12 and 14: 4 is lost
    with pytest.raises(SettingsError, match="after sweeps 4, 6"):
        model.fit(TEXT, checkpoint=tmp_path / "m", resume=True)
    longer = Schedule(sweeps=14, burn_in=4, samples=5, chains=2)
    resumed = HPYLM(3, schedule=longer).fit(TEXT, checkpoint=tmp_path / "m", resume=True)
    assert same(resumed, HPYLM(3, schedule=longer).fit(TEXT))


def test_samples_never_collected_are_refused() -> None:
    sampling = HPYLMSampling(Corpus.read(TEXT), 2, Schedule(sweeps=4, samples=2), Preparation())
    for _ in range(4):
        sampling.advance(0)
    next(iter(sampling.chains.samples.values()))[:, 1] = np.nan
    with pytest.raises(ModelFileError, match="never collected"):
        sampling.chains.predictive()


def test_killed_at_random_moments(tmp_path: Path) -> None:
    assert resumes_bit_for_bit(
        tmp_path,
        "from binyan.ngram.hpylm import HPYLM\n"
        "text = [' '.join(f'w{(i * j * j + i) % 97}' for j in range(20)) for i in range(300)]\n"
        "model = HPYLM(3, sweeps=400, samples=4, chains=2)\n"
        "model.fit(text, checkpoint=checkpoint, checkpoint_seconds=0.0, resume=True)",
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sweeps": 0}, "sweeps"),
        ({"samples": 0}, "samples"),
        ({"chains": 0}, "chains"),
        ({"sweeps": 10, "burn_in": 10}, "burn-in"),
        ({"sweeps": 10, "samples": 6}, "do not fit"),
        ({"initialisation": "clever"}, "initialisation"),
    ],
)
def test_refuses_schedules_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Schedule(**settings)


def test_refuses_to_resume_another_training(tmp_path: Path) -> None:
    HPYLM(2, schedule=Schedule(sweeps=4)).fit(TEXT, checkpoint=tmp_path / "m")
    for text, order, seed, what in ((TEXT[:-1], 2, 1, "text"), (TEXT, 3, 1, "order"), (TEXT, 2, 2, "seed")):
        with pytest.raises(SettingsError, match=f"another {what}"):
            HPYLM(order, schedule=Schedule(sweeps=4, seed=seed)).fit(text, checkpoint=tmp_path / "m", resume=True)


def test_refuses_a_seating_that_does_not_fit_its_text(tmp_path: Path) -> None:
    HPYLM(2, schedule=Schedule(sweeps=4)).fit(TEXT, checkpoint=tmp_path / "m")
    file = model_file.load(tmp_path / "m")
    tables = file.array("chains/chain.0.tables.0") + np.uint32(1)
    model_file.save(tmp_path / "m", file.kind, file.meta, {**file.sections, "chains/chain.0.tables.0": tables})
    with pytest.raises((ModelFileError, InputError), match="damaged"):
        load(tmp_path / "m")


def test_refuses_order_zero_and_empty_text() -> None:
    with pytest.raises(SettingsError, match="order"):
        HPYLM(0).fit(TEXT)
    with pytest.raises(InputError, match="no sentence"):
        HPYLM(2).fit([])


@pytest.mark.data
def test_perplexity_on_the_benchmark_text(data_folder: Path) -> None:
    """At parity with Kneser-Ney (101.51) on a million tokens at order 4, better with samples averaged."""
    folder = data_folder / "text" / "bundestag_de"
    model = HPYLM(4, schedule=Schedule(sweeps=24, burn_in=16, samples=2)).fit(folder / "train.txt.xz")
    scores = model.score_text(folder / "test.txt.xz")
    assert scores.tokens == pytest.approx(52726, abs=10)
    assert 100.2 < scores.perplexity < 101.4
