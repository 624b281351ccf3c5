"""The best model within a budget: what is tried, what is left out and why, the split, Ctrl-C, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan.best_model import CANDIDATES, Candidate, TrainingRequest, train_best
from binyan.best_model.held_out import Texts
from binyan.best_model.stopwatch import Stopwatch
from binyan.best_model.timing import Budget, OutOfTimeError, _extrapolated, estimate_seconds
from binyan.best_model.training import halves
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel
from binyan.text import Preparation, VocabularyPolicy

STEMS, ENDINGS = ("haus", "hof", "geh", "lauf"), ("en", "st", "t")


def lines(number: int = 240, seed: int = 0) -> list[str]:
    random = np.random.default_rng(seed)
    text = []
    for _ in range(number):
        ending = random.choice(ENDINGS)
        text.append(" ".join(random.choice(STEMS) + ending for _ in range(random.integers(2, 6))))
    return text


TEXT = lines()
MKN = CANDIDATES[0]


def unigrams(request: TrainingRequest) -> LanguageModel:
    return binyan.KneserNey(order=1, preparation=request.preparation).fit(request.corpus, progress=False)


def with_progress(request: TrainingRequest, steps: int = 3) -> LanguageModel:
    for step in range(steps):
        if callable(request.progress):
            request.progress(step, steps, {})
    return binyan.HPYLM(order=3, sweeps=5, preparation=request.preparation).fit(request.corpus, progress=False)


def test_a_budget_too_small_for_any_model_gives_kneser_ney() -> None:
    news: list[str] = []
    found = train_best(TEXT, minutes=1e-6, say=news.append, progress=False)
    assert found.chosen == "mkn" and found.reason == "no other model was trained"
    assert found.model.kind == "mkn" and [p.name for p in found.parts] == [c.name for c in CANDIDATES]
    assert all(p.perplexity is None and "left out" in p.note for p in found.parts[1:])
    assert any("hpylm: left out" in line for line in news)
    with pytest.raises(SettingsError, match="more than 0 minutes"):
        train_best(TEXT, minutes=0)


def test_an_open_vocabulary_is_refused_with_what_to_do() -> None:
    with pytest.raises(SettingsError, match="binyan lm open"):
        train_best(["a b"], minutes=0.001, vocabulary="open")


def test_what_fits_is_trained_and_mixed() -> None:
    tried = [MKN, Candidate("other", "for variety", with_progress)]
    found = train_best(TEXT, lines(60, 5), candidates=tried, minutes=5, progress=False)
    assert [p.name for p in found.parts] == ["mkn", "other"] and found.development == "as given"
    assert found.parts[0].estimated_seconds is None and found.parts[1].estimated_seconds is not None
    assert "on the half not fitted on" in found.reason
    names = {"mkn and other mixed by context": "mixture", "mkn": "mkn", "other": "hpylm"}
    assert found.model.kind == names[found.chosen]


def test_a_better_model_of_the_same_kind_takes_the_place_of_the_first() -> None:
    tried = [replace(MKN, name="unigrams", train=unigrams), replace(MKN, instead_of=("unigrams",))]
    found = train_best(TEXT, candidates=tried, minutes=5, progress=False)
    assert found.chosen == "mkn" and found.reason == "the better of models of one kind"
    worse = [MKN, replace(MKN, name="unigrams", train=unigrams, instead_of=("mkn",))]
    assert "mkn" in train_best(TEXT, candidates=worse, minutes=5, progress=False).chosen


def test_a_candidate_that_adds_nothing_to_another_is_left_out_after_it() -> None:
    other = Candidate("other", "", with_progress, unless=("mkn",))
    found = train_best(TEXT, candidates=[MKN, other], minutes=5, progress=False)
    assert found.parts[1].note == "left out: it adds nothing to a mixture with mkn"


def test_candidates_that_fail_or_lack_a_module_are_left_out() -> None:
    def fails(request: TrainingRequest) -> LanguageModel:
        raise InputError("no morphemes here")

    absent = Candidate("absent", "", with_progress, needs=("no_such_module",))
    found = train_best(TEXT, candidates=[MKN, Candidate("fails", "", fails), absent], minutes=5, progress=False)
    assert [p.note for p in found.parts[1:]] == [
        "left out: no morphemes here",
        "left out, since no_such_module is not installed",
    ]
    assert found.chosen == "mkn"


def test_ctrl_c_gives_the_best_so_far() -> None:
    def interrupted(request: TrainingRequest) -> LanguageModel:
        raise KeyboardInterrupt

    tried = [MKN, Candidate("slow", "", interrupted), Candidate("never", "", with_progress)]
    assert train_best(TEXT, candidates=tried, progress=False).chosen == "mkn"
    with pytest.raises(KeyboardInterrupt):
        train_best(TEXT, candidates=tried[1:], progress=False)


def request(**changes: object) -> TrainingRequest:
    texts = Texts.read(TEXT, None, Preparation(), VocabularyPolicy(), False)
    return replace(TrainingRequest(texts.corpus, texts.development, Preparation()), **changes)  # type: ignore[arg-type]


class Machine:
    """A clock and a processor that stand still until work is done: `busy` seconds by the clock per second of the processor."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, busy: float = 1.0) -> None:
        self.seconds, self.busy = 0.0, busy
        monkeypatch.setattr("binyan.best_model.stopwatch._now", lambda: (self.seconds * self.busy, self.seconds))


def linear(machine: Machine, sizes: list[int]) -> Candidate:
    """A candidate that works 0.01 s per token, and 0.02 s for what it shares."""

    def share(tokens: int) -> str:
        machine.seconds += 0.02 * tokens
        return "map"

    def train(asked: TrainingRequest) -> LanguageModel:
        tokens = len(asked.corpus.words)
        sizes.append(tokens)
        assert asked.shared.get("map", lambda: share(tokens)) == "map"
        machine.seconds += 0.01 * tokens
        assert callable(asked.progress)
        asked.progress(1, 1, {})
        return unigrams(asked)

    return Candidate("linear", "", train, shares=("map",))


@pytest.mark.parametrize("busy", [1.0, 5.0])
def test_time_that_runs_out_is_noticed(monkeypatch: pytest.MonkeyPatch, busy: float) -> None:
    machine, sizes = Machine(monkeypatch, busy), list[int]()
    candidate, asked, watch = linear(machine, sizes), request(), Stopwatch()
    tokens = len(asked.corpus.words)
    expected = estimate_seconds(candidate, asked, Budget(watch, 1000.0))
    assert sizes[0] < sizes[1] < tokens and expected == pytest.approx(0.03 * tokens, rel=0.1)
    assert Budget(watch, 1000.0).by_clock(2.0) == pytest.approx(2.0 * busy)
    spent = machine.seconds
    asked.shared.get("map", lambda: "map")
    again = estimate_seconds(candidate, asked, Budget(watch, 1000.0))
    assert again == pytest.approx(0.01 * tokens, rel=0.1)
    assert machine.seconds - spent == pytest.approx(0.01 * sum(sizes[:2]))  # slices share too
    assert estimate_seconds(candidate, asked, Budget(watch, machine.seconds + 0.1)) == np.inf
    with pytest.raises(OutOfTimeError):
        Budget(watch, machine.seconds - 1)(1, 2, {})


def test_a_model_with_less_than_its_usual_time_is_told_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, given = Machine(monkeypatch, busy=2.0), list[float | None]()

    def train(asked: TrainingRequest) -> LanguageModel:
        given.append(asked.seconds)
        machine.seconds += 0.5 * len(asked.corpus.words) if asked.seconds is None else asked.seconds / machine.busy
        assert callable(asked.progress)
        asked.progress(1, 1, {})
        return unigrams(asked)

    slow = Candidate("slow", "", train, shortest=0.1)
    found = train_best(TEXT, candidates=[MKN, slow], minutes=10, progress=False)
    seconds = given[-1]
    assert given[:2] == [None, None] and seconds is not None
    assert found.parts[1].perplexity is not None and found.parts[1].estimated_seconds == pytest.approx(seconds / 2)
    assert found.processor_seconds == pytest.approx(machine.seconds) and machine.seconds < 600
    assert found.seconds == pytest.approx(2 * machine.seconds)


def test_several_cores_are_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, watch = Machine(monkeypatch, busy=0.5), Stopwatch((0.0, 0.0))
    machine.seconds = 8.0
    assert (watch.clock, watch.processor, watch.seconds) == (4.0, 8.0, 4.0)
    assert Budget(watch, 10.0).left == 6.0 and Budget(watch, 10.0).by_clock(3.0) == 3.0


def test_unknown_words_are_expected_as_often_as_they_come(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    text = [f"das {random.choice(STEMS)} heisst x{random.integers(10**6)} jetzt" for _ in range(400)]
    found = train_best(text, candidates=[MKN], minutes=1, progress=False)
    assert found.chosen == "mkn" and found.unknown_words is not None and "unknown words: P(<unk>)" in str(found)
    after = [found.model.state_after(f"das {stem} heisst") for stem in STEMS]
    elsewhere = found.model.state_after("das")
    chances = [np.exp(found.model.score_word(state, "<unk>").log_prob) for state in [*after, elsewhere]]
    assert min(chances[:-1]) > 0.8 and chances[-1] < 0.1
    assert found.model.distribution(after[0]).sum() == pytest.approx(1.0, abs=1e-5)
    held_out = [f"das hof heisst y{i} jetzt" for i in range(20)]
    plain = binyan.KneserNey().fit(text, progress=False)
    assert found.model.perplexity(held_out) < 0.5 * plain.perplexity(held_out)
    found.save(tmp_path / "model")
    assert binyan.load(tmp_path / "model").perplexity(held_out) == pytest.approx(found.model.perplexity(held_out))


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((1.0, 4.0), 64.0),  # grows with the size
        ((2.0, 5.0), 65.0),  # of which one second does not
        ((1.0, 8.0), 8 * 16**1.5),  # with its power 1.5, and steeper ones as that
        ((1.0, 16.0), 16 * 16**1.5),
        ((4.0, 3.0), 0.3 * 48),  # by chance not at all
    ],
)
def test_times_of_two_slices_tell_that_of_the_whole(times: tuple[float, float], expected: float) -> None:
    assert _extrapolated((100, 400), times, 6400, 1.5) == pytest.approx(expected)


def test_every_kth_block_is_held_out_and_its_own_words_are_unknown() -> None:
    text = [f"wort{i} und wort{i}" for i in range(240)]
    texts = Texts.read(text, None, Preparation(), VocabularyPolicy(), False)
    kept = {" ".join(texts.corpus.decode(i)) for i in range(texts.corpus.sentences)}
    development = [" ".join(sentence) for sentence in texts.development]
    assert sorted([*kept, *development]) == sorted(text) and len(development) == 20
    assert development[:10] == text[110:120] and texts.origin.startswith("every 12th block of 10 lines")
    assert "wort110" not in texts.corpus.vocabulary and "wort109" in texts.corpus.vocabulary
    pruned = Texts.read(text, None, Preparation(), VocabularyPolicy(min_count=3), False).corpus
    assert len(pruned.outside) == 2 * 220 and pruned.outside[:2] == ("wort0", "wort0")
    with pytest.raises(InputError, match="one sentence cannot be split"):
        Texts.read(["ein satz"], None, Preparation(), VocabularyPolicy(), False)


def test_a_slice_holds_whole_sentences_and_their_vocabulary() -> None:
    whole = request(corpus=binyan.text.Corpus.read(["neu und alt", "<unk> und neu", *TEXT], progress=False))
    part, small = whole.first(100), whole.first(1)
    assert 100 <= len(part.corpus.words) <= 106 and int(part.corpus.offsets[-1]) == len(part.corpus.words)
    assert [part.corpus.decode(i) for i in range(4)] == [whole.corpus.decode(i) for i in range(4)]
    assert sorted(small.corpus.vocabulary.own_words) == ["alt", "neu", "und"]
    assert part.shared is whole.first(100).shared and part.shared is not small.shared


def test_halves_share_nothing() -> None:
    even, odd = halves([[str(i)] for i in range(45)])
    assert len(even) + len(odd) == 45 and not {tuple(s) for s in even} & {tuple(s) for s in odd}


def test_the_command_writes_one_model(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(TEXT) + "\n")
    out = tmp_path / "model"
    arguments = ["lm", "train", "best", "--text", str(tmp_path / "text"), "--out", str(out), "--minutes", "0.0001"]
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0 and json.loads(result.stdout)["chosen"] == "mkn"
    assert binyan.load(out).perplexity(lines(20, 7)) < 20
    said = CliRunner().invoke(app, arguments, catch_exceptions=False).output
    assert "chosen: mkn, no other model was trained" in said and "hpylm: left out" in said


@pytest.mark.parametrize("candidate", CANDIDATES, ids=lambda candidate: candidate.name)
def test_every_candidate_trains_and_is_saved(candidate: Candidate, tmp_path: Path) -> None:
    for module in candidate.needs:
        pytest.importorskip(module)
    asked = request(seconds=0.5 if candidate.shortest < 1 else None, progress=lambda *figures: None)
    asked = replace(asked.first(200), development=asked.development, progress=asked.progress)
    model = candidate.train(asked)
    assert model.perplexity(asked.development) < len(asked.corpus.vocabulary)
    model.save(tmp_path / "model")
    assert binyan.load(tmp_path / "model").kind == model.kind
