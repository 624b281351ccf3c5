"""Learning that goes on after more became known: the trees of before, where they agree."""

from __future__ import annotations

import pytest

from binyan.errors import SettingsError
from binyan.grammar.notation import load_grammar
from binyan.morphology import Morphology
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.continuation import begin_from
from binyan.morphology.knowledge import Knowledge, read_affixes, read_known_words
from binyan.morphology.settings import MorphologySettings
from binyan.morphology.word_list import WordList

STEMS = ("walk", "talk", "jump", "climb", "look")
WORDS = WordList.of([stem + suffix for stem in STEMS for suffix in ("", "s", "ed", "ing")])
SETTINGS = MorphologySettings(sweeps=10, chains=2, seed=3)
KNOWN = Knowledge(tuple(read_known_words({"walking": "wal/stem king/suf", "talks": "talk/stem s/suf"})))


def sampled(grammar: str = "affixes", words: WordList = WORDS) -> AdaptorSampler:
    sampler = AdaptorSampler(load_grammar(grammar), words, SETTINGS)
    sampler.run(progress=False, threads=1)
    return sampler


def derivations(sampler: AdaptorSampler) -> list[list[list[int]]]:
    return [[state.core.derivation(i) for i in range(len(sampler.words))] for state in sampler.states]


@pytest.mark.parametrize("grammar", ["affixes", "infix", "root-template", "compound"])
def test_without_new_knowledge_all_trees_are_kept(grammar):
    before = sampled(grammar)
    sampler = AdaptorSampler(load_grammar(grammar), WORDS, SETTINGS)
    assert begin_from(sampler, before) == 1.0
    assert derivations(sampler) == derivations(before)
    for old, new in zip(before.states, sampler.states, strict=True):
        new.core.check()
        assert [a[:2] for a in new.core.adaptors] == [a[:2] for a in old.core.adaptors]
    sampler.run(progress=False, threads=1)
    assert sampler.sweeps == 10
    [state.core.check() for state in sampler.states]


def test_what_disagrees_is_drawn_anew():
    before = sampled()
    sampler = AdaptorSampler(load_grammar("affixes"), WORDS, SETTINGS, KNOWN)
    kept = begin_from(sampler, before)
    assert 0.9 <= kept < 1.0
    changed = WORDS.words.index("walking")
    same = [i for i, word in enumerate(WORDS.words) if word not in ("walking", "talks")]
    for old, new in zip(derivations(before), derivations(sampler), strict=True):
        assert new[changed] != old[changed] and [new[i] for i in same] == [old[i] for i in same]
    sampler.run(progress=False, threads=1)
    [state.core.check() for state in sampler.states]
    model = Morphology.from_sampler(sampler)
    assert str(model.segment("walking")) == "wal/stem king/suf" and str(model.segment("talks")) == "talk/stem s/suf"


def test_known_morphemes_and_new_words_join():
    before = sampled()
    more = WordList.of([*WORDS.words, "walker", "looker"])
    known = Knowledge((), tuple(read_affixes(["-ed"])), strength=3)
    alike = AdaptorSampler(load_grammar("affixes"), more, SETTINGS, known)
    with pytest.raises(SettingsError, match="same grammar and letters"):
        begin_from(alike, before)  # r is a new letter
    fewer = WordList.of(WORDS.words[:-4])
    sampler = AdaptorSampler(load_grammar("affixes"), WordList.of([*fewer.words, "lookeding"]), SETTINGS, known)
    earlier = sampled(words=WordList.of([*fewer.words, "looking"]))
    begin_from(sampler, earlier)
    [state.core.check() for state in sampler.states]
    assert all(len(rules) for chain in derivations(sampler) for rules in chain)


def test_a_checkpoint_of_continued_learning_is_resumed_bit_for_bit(tmp_path):
    before = sampled()
    whole = AdaptorSampler(load_grammar("affixes"), WORDS, SETTINGS, KNOWN)
    begin_from(whole, before)
    whole.run(progress=False, threads=1)
    part = AdaptorSampler(load_grammar("affixes"), WORDS, SETTINGS, KNOWN)
    begin_from(part, before)
    for state in part.states:
        for _ in range(4):
            part.advance(state.number)
    Morphology.from_sampler(part).save(tmp_path / "m")
    resumed = Morphology.load(tmp_path / "m").sampler
    resumed.run(progress=False, threads=1)
    assert [s.core.state().tolist() for s in resumed.states] == [s.core.state().tolist() for s in whole.states]


def test_other_grammars_are_refused():
    with pytest.raises(SettingsError):
        begin_from(AdaptorSampler(load_grammar("infix"), WORDS, SETTINGS), sampled())
