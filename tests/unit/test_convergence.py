"""Convergence in plain words: agreement of chains, settled decisions, stopping by itself, and each chain on its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from binyan import Morphology, model_file
from binyan.errors import InputError, SettingsError
from binyan.evaluation.morphology import trace_table
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.convergence import Agreement, Convergence, Dispute
from binyan.morphology.history import MOST_WORDS, NOTED, AnalysisHistory, watched_words
from binyan.morphology.shown_analyses import ShownAnalysis, dispute, most_frequent
from binyan.morphology.word_list import WordList
from binyan.sampling import r_hat
from binyan.sampling.decisions import decision_effective_sizes, decision_r_hats
from binyan.segmentation import Segmentation

STEMS = ("walk", "talk", "jump", "look", "play", "call", "help", "turn", "pull", "push")
WORDS = [f"{stem}{ending}" for stem in STEMS for ending in ("", "s", "ed", "ing")]


# R-hat and effective sample size of decisions


def test_r_hat_of_many_decisions_is_that_of_each() -> None:
    draws = np.random.default_rng(1).random((3, 17, 40)) < np.linspace(0.02, 0.9, 40)
    each = [r_hat([chain.tolist() for chain in draws[:, :, i].astype(float)]) for i in range(40)]
    assert decision_r_hats(draws) == pytest.approx(each)
    assert np.isnan(decision_r_hats(draws[:, :3])).all()


def test_decisions_that_never_vary_or_differ_for_good() -> None:
    draws = np.zeros((2, 10, 2), bool)
    draws[1, :, 1] = True
    assert decision_r_hats(draws).tolist() == [1.0, np.inf]
    assert decision_effective_sizes(draws).tolist() == [20.0, 2.0]


def test_effective_sizes_of_independent_and_of_sticky_draws() -> None:
    """An independent decision has as many draws as there are; one that stays with probability 0.9 has (1 - 0.8) / (1 + 0.8) of them."""
    chance = np.random.default_rng(2)
    independent = chance.random((4, 500, 20)) < 0.5
    sticky = np.logical_xor.accumulate(chance.random((4, 500, 20)) < 0.1, axis=1)
    assert np.mean(decision_effective_sizes(independent)) == pytest.approx(2000, rel=0.1)
    assert np.mean(decision_effective_sizes(sticky)) == pytest.approx(2000 * 0.2 / 1.8, rel=0.2)


# The record of a chain


class StubChain:
    """A chain whose words have a new derivation every `period` sweeps."""

    def __init__(self, period: int) -> None:
        self.period, self.sweep = period, 0

    def derivation(self, word: int) -> list[int]:
        return [word, self.sweep // self.period]


def recorded(sweeps: int, history: AnalysisHistory | None = None, first: int = 1) -> AnalysisHistory:
    history = history or AnalysisHistory((3, 5, 8))
    chain: Any = StubChain(50)
    for chain.sweep in range(first, sweeps + 1):
        history.note(chain.sweep, chain)
    return history


def test_each_half_of_a_run_is_noted_as_densely_as_the_half_before() -> None:
    for sweeps in (128, 256, 700, 1000):
        noted = recorded(sweeps).sweeps
        for end in (sweeps, sweeps / 2):
            assert NOTED - 2 <= sum(end / 2 < s <= end for s in noted) <= NOTED
        assert len(noted) <= 6 * NOTED


def test_a_record_is_the_same_when_resumed_at_any_moment(tmp_path: Path) -> None:
    whole = recorded(400).sections()
    for stop in (1, 63, 64, 199, 256):
        model_file.save(tmp_path / "h", "history", {}, recorded(stop).sections())
        history = AnalysisHistory((3, 5, 8))
        history.restore(model_file.load(tmp_path / "h"), "", 1000)
        again = recorded(400, history, stop + 1).sections()
        assert {n: np.asarray(s).tolist() for n, s in again.items()} == {
            n: np.asarray(s).tolist() for n, s in whole.items()
        }


@pytest.mark.parametrize("name, change", [("rows", 1000), ("words", 3), ("ends", 0), ("rules", 999), ("sweeps", 0)])
def test_a_damaged_record_is_refused(tmp_path: Path, name: str, change: int) -> None:
    sections = recorded(40).sections()
    damaged = np.array(sections[f"history.{name}"])
    damaged.reshape(-1)[-1] = change
    model_file.save(tmp_path / "h", "history", {}, sections | {f"history.{name}": damaged})
    with pytest.raises(InputError, match="do not fit"):
        AnalysisHistory((3, 5, 8)).restore(model_file.load(tmp_path / "h"), "", 100)


def test_watched_words_are_spread_over_the_list() -> None:
    assert watched_words(range(5)) == (0, 1, 2, 3, 4)
    many = watched_words(range(10 * MOST_WORDS))
    assert len(many) == MOST_WORDS and many[:3] == (0, 10, 20)


# What chains say of words


def test_most_frequent_and_of_equals_the_latest() -> None:
    assert most_frequent(np.array([[1, 5, 7], [1, 6, 8], [2, 6, 7], [3, 5, 8]])).tolist() == [1, 5, 8]


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ("ktAb/stem w/suf h/suf", "ktAb/stem wh/suf", ("w+h", "wh")),
        ("ktAbwh/stem", "ktAb/stem wh/suf", ("…+wh", "…wh")),
        ("ktA/stem bwh/suf", "ktAbw/stem h/suf", ("…+bwh", "…bw+h")),
        ("k/pre tAbwh/stem", "k/clitic tAbwh/stem", ("k/clitic", "k/pre")),
    ],
)
def test_what_two_analyses_differ_in(one: str, other: str, expected: tuple[str, str]) -> None:
    readings = [ShownAnalysis(Segmentation.parse("ktAbwh", text), ()) for text in (one, other)]
    assert dispute(*readings) == dispute(*reversed(readings)) == expected


def test_roots_are_part_of_what_is_said() -> None:
    whole = Segmentation.parse("katab", "katab/stem")
    assert dispute(ShownAnalysis(whole, ("ktb",)), ShownAnalysis(whole, ())) == ("root ktb", "no root")


def convergence(words: float, before: float, chains: int = 2, **changes: Any) -> Convergence:
    disputes = (Dispute("w+h", "wh", 15), Dispute("…+h", "…h", 2))
    now, half_time = Agreement(200, words, 0.9, 0.97), Agreement(100, before, 0.8, 0.9)
    return Convergence(chains, 100, now, half_time, 0.93, 20.0, 64, disputes)


@pytest.mark.parametrize(
    "value, start, end",
    [
        (
            convergence(0.96, 0.95),
            "The two chains agree on 96 per cent of the words; it was 95 at half time",
            ": stable.",
        ),
        (
            convergence(0.96, 0.85),
            "The two chains agree on 96",
            "it was 85 at half time: rising: more sweeps will help.",
        ),
        (convergence(0.78, 0.78, 3), "The three chains agree on 78 per cent", "knowledge of affixes, would decide."),
        (convergence(1.0, 1.0, 1), "One chain: 97 per cent of the words", "show whether they agree."),
    ],
)
def test_the_sentence(value: Convergence, start: str, end: str) -> None:
    assert value.sentence().startswith(start) and value.sentence().endswith(end)


def test_the_reason_is_named() -> None:
    assert "they disagree on 22 per cent, mostly about w+h or wh and …+h or …h; more sweeps are" in (
        convergence(0.78, 0.78).sentence()
    )
    assert "for example about" in convergence(0.5, 0.5).sentence()


# Learning


def test_learning_says_how_far_chains_agree(tmp_path: Path) -> None:
    m = Morphology("concat", sweeps=40, chains=3).fit(WORDS, progress=False)
    said = m.sampler.convergence()
    assert said is not None and said.chains == 3 and said.watched == len(WORDS)
    assert said.sentence() in m.description and "not yet mixed" not in m.description
    assert m.summary()["convergence"]["now"]["words"] == said.now.words
    assert [a.sweep for a in m.agreement][-1] == 40 and m.agreement[-1] == said.now
    table = trace_table(m, "agreement")
    assert table.column("words")[-1] == pytest.approx(100 * said.now.words)
    for reduced in (False, True):
        m.save(tmp_path / "m", reduced=reduced)
        assert Morphology.load(tmp_path / "m").agreement == m.agreement


def test_few_sweeps_are_too_few_to_say() -> None:
    assert "Too few sweeps" in Morphology("concat", sweeps=5).fit(WORDS, progress=False).description


def test_chains_that_are_one_chain_agree_on_everything() -> None:
    m = Morphology("concat", sweeps=40).fit(WORDS, progress=False)
    sampler = m.sampler
    sampler.states[1] = sampler.states[0]
    said = sampler.convergence()
    assert said is not None and said.now.words == said.now.entries == 1.0 and not said.disputes


UNTIL: dict[str, Any] = {"sweeps": 400, "until": 0.25}


def test_learning_stops_by_itself(tmp_path: Path) -> None:
    m = Morphology("concat", **UNTIL).fit(WORDS, progress=False)
    stopped = m.sampler.stopped
    assert stopped is not None and stopped < 360
    assert m.sampler.sweeps == stopped + max(stopped // 9, 1) == len(m.trace[0])
    assert m.posterior.samples.kept == 2 * (m.sampler.sweeps - stopped)
    assert "stopped by itself" in m.description and "until:0.25" in str(m.signature())
    earlier = m.sampler.convergence()
    assert earlier is not None
    m.save(tmp_path / "m")
    assert Morphology.load(tmp_path / "m").sampler.stopped == stopped
    plain = Morphology("concat", sweeps=m.sampler.sweeps, burn_in=stopped).fit(WORDS, progress=False)
    assert [trace.tolist() for trace in plain.trace] == [trace.tolist() for trace in m.trace]


def test_it_does_not_stop_while_chains_disagree() -> None:
    m = Morphology("concat", sweeps=80, until=1.0, chains=4, joint=0.0).fit(WORDS, progress=False)
    assert m.sampler.stopped is None and m.sampler.sweeps == 80 and m.posterior.samples.kept == 4 * 8


@pytest.mark.parametrize("stop", [1, 25, 40, 42])
def test_stopping_is_the_same_after_an_interruption(tmp_path: Path, stop: int) -> None:
    def interrupt(done: int, total: int | None, figures: dict[str, float]) -> None:
        if done == stop:
            raise KeyboardInterrupt

    Morphology("concat", **UNTIL).fit(WORDS, checkpoint=tmp_path / "whole", progress=False)
    with pytest.raises(KeyboardInterrupt):
        Morphology("concat", **UNTIL).fit(WORDS, checkpoint=tmp_path / "part", progress=interrupt)
    Morphology("concat", **UNTIL).fit(WORDS, checkpoint=tmp_path / "part", resume=True, progress=False)
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_stopped_run_can_be_continued_without_until(tmp_path: Path) -> None:
    m = Morphology("concat", **UNTIL).fit(WORDS, checkpoint=tmp_path / "m", progress=False)
    done = m.sampler.sweeps
    longer = Morphology("concat", sweeps=2 * done, burn_in=done)
    longer.fit(WORDS, checkpoint=tmp_path / "m", resume=True, progress=False)
    assert longer.sampler.sweeps == 2 * done and longer.posterior.samples.kept == 2 * done


def test_what_was_begun_without_drawing_words_together_goes_on_without_it(tmp_path: Path) -> None:
    """As files of earlier versions, whose settings do not name it."""
    settings: dict[str, Any] = {"sweeps": 8, "burn_in": 4, "seed": 5}
    Morphology("concat", joint=0.0, **settings).fit(WORDS, checkpoint=tmp_path / "m", progress=False)
    file = model_file.load(tmp_path / "m")
    del file.meta["settings"]["joint"]
    model_file.save(tmp_path / "m", file.kind, file.meta, file.sections)
    assert Morphology.load(tmp_path / "m").settings.joint == 0.0
    longer = settings | {"sweeps": 16, "burn_in": 8}
    resumed = Morphology("concat", **longer).fit(WORDS, checkpoint=tmp_path / "m", resume=True, progress=False)
    straight = Morphology("concat", joint=0.0, **longer).fit(WORDS, progress=False)
    assert [t.tolist() for t in resumed.trace] == [t.tolist() for t in straight.trace]
    together = Morphology("concat", **longer).fit(WORDS, progress=False)
    assert together.settings.joint > 0 and together.trace[0].tolist() != straight.trace[0].tolist()


def test_settings_that_contradict_until_are_refused() -> None:
    with pytest.raises(SettingsError, match="leave the burn-in out"):
        Morphology("concat", sweeps=40, burn_in=20, until=0.9)
    with pytest.raises(SettingsError, match="a share of words"):
        Morphology("concat", until=95)
    m = Morphology("concat", **UNTIL)
    with pytest.raises(SettingsError, match="do not see one another"):
        AdaptorSampler(m.grammar, WordList.of(WORDS), m.settings).run(scheduler="tcp://nowhere:1")


# Each chain on its own


def test_each_chain_on_its_own(tmp_path: Path) -> None:
    m = Morphology("concat", sweeps=30, burn_in=20, chains=2).fit(WORDS, progress=False)
    for number, state in enumerate(m.sampler.states):
        alone = m.chain(number)
        assert alone.posterior.samples.state().tolist() == state.samples.state().tolist()
        assert len(alone.posterior.snapshots) == len(state.snapshots) and len(alone.trace) == 1
        assert alone.trace[0].tolist() == m.trace[number].tolist()
        alone.save(tmp_path / "alone", reduced=True)
        assert Morphology.load(tmp_path / "alone").segment("talking") == alone.segment("talking")
    assert m.posterior.samples.kept == sum(m.chain(i).posterior.samples.kept for i in range(2))
    with pytest.raises(SettingsError, match="there is no chain 2"):
        m.chain(2)
