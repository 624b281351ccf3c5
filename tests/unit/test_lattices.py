"""Word lattices: read in both forms, and the best sentences equal to those of an enumeration of all paths."""

from __future__ import annotations

import io
import json
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from binyan import HPYLM, KneserNey, cli
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel
from binyan.translation import LatticeRescorer
from binyan.translation.word_lattice import Link, WordLattice, read_lattices

TEXT = ["das haus ist gross", "das haus ist alt", "der hund ist alt", "der alte hund", "ein haus und ein hund"] * 3
WORDS = ["das", "haus", "ist", "gross", "alt", "der", "hund", "zaun", ""]
SLF = """VERSION=1.0
UTTERANCE=u1
lmscale=2.0  wdpenalty=-0.5 acscale=1
N=4 L=5
I=0 t=0.00 W=!NULL
I=1 t=0.10 W=das
I=2 t=0.10 W=der
I=3 t=0.40 W=!SENT_END
J=0 S=0 E=1 a=-10.0 l=-1.0
J=1 S=0 E=2 a=-9.0 l=-2.0
J=2 S=1 E=3 W=haus a=-5.0 l=-1.0
J=3 S=2 E=3 W="hund" a=-6.0 l=-0.5
J=4 S=2 E=3 W=ha\\us a=-5.5 l=-0.5
"""
KALDI = """u1
0 1 das 1.5,20.5,1_2_3
0 1 der 1.0,21.0,1_2_4
1 2 haus 0.5,10,5_6
1 2 0 2.5,9
2 0.25,0.75,

u2
0 1 7 8 1,2
1
"""


@pytest.fixture(scope="module")
def models() -> list[LanguageModel]:
    with pytest.warns(UserWarning):
        mkn = KneserNey(order=3).fit(TEXT, progress=False)
    return [mkn, HPYLM(order=2, sweeps=10, vocabulary=mkn.vocabulary).fit(TEXT, progress=False)]


def random_lattice(seed: int) -> WordLattice:
    draw = random.Random(seed)
    nodes = draw.randint(3, 7)
    order = [0, *draw.sample(range(1, nodes), nodes - 1)]
    links = [
        Link(order[i], order[i + 1], draw.choice(WORDS), draw.uniform(-9, 0), draw.uniform(-3, 0))
        for i in range(nodes - 1)
    ]
    for _ in range(draw.randint(3, 8)):
        i, j = sorted(draw.sample(range(nodes), 2))
        links.append(Link(order[i], order[j], draw.choice(WORDS), draw.uniform(-9, 0), draw.uniform(-3, 0)))
    draw.shuffle(links)
    finals = {order[-1]: (draw.uniform(-1, 0), draw.uniform(-1, 0)), order[-2]: (-0.5, -0.1)}
    return WordLattice(f"u{seed}", links, 0, finals, {"LanguageModel": 1.5, "Words": -0.3})


def all_paths(lattice: WordLattice, node: int) -> Iterator[list[Link]]:
    if node in lattice.finals:
        acoustic, graph = lattice.finals[node]
        yield [Link(node, -1, "", acoustic, graph)]
    for link in lattice.links:
        if link.start == node:
            for rest in all_paths(lattice, link.end):
                yield [link, *rest]


def enumerated(lattice: WordLattice, models: list[LanguageModel], rescorer: LatticeRescorer) -> dict[str, float]:
    """The best score of every sentence, by listing all paths and scoring each whole sentence."""
    scores: dict[str, float] = {}
    w, scale = rescorer.weights, lattice.scales["LanguageModel"]
    for path in all_paths(lattice, lattice.start):
        words = [link.word for link in path if link.word]
        score = sum(w["Acoustic"] * k.acoustic + w["Graph"] * k.graph for k in path)
        score += len(words) * (w["Words"] + lattice.scales["Words"])
        for i, model in enumerate(models, 1):
            unknown = sum(word not in model.vocabulary for word in words)
            log_prob = model.score(words) * math.log(10)
            score += scale * (w[f"LanguageModel{i}"] * log_prob + w[f"Unknown{i}"] * unknown)
        scores[" ".join(words)] = max(score, scores.get(" ".join(words), -math.inf))
    return scores


@pytest.mark.parametrize("seed", range(12))
def test_best_sentences_are_those_of_an_enumeration(models: list[LanguageModel], seed: int) -> None:
    lattice = random_lattice(seed)
    rescorer = LatticeRescorer(models, {"Graph": 0.3, "LanguageModel2": 0.4, "Words": 0.7}, nbest=1000)
    expected = sorted(enumerated(lattice, models, rescorer).items(), key=lambda item: -item[1])
    entries = rescorer.best(lattice)
    assert [e.score for e in entries] == pytest.approx([score for _, score in expected], abs=1e-4)
    assert {e.text for e in entries} == {text for text, _ in expected}
    assert rescorer.nodes_cut == 0
    few = LatticeRescorer(models, {"Graph": 0.3, "LanguageModel2": 0.4, "Words": 0.7}, nbest=3).best(lattice)
    assert [e.text for e in few] == [e.text for e in entries[:3]]
    for entry in entries:
        parts = zip(rescorer._weights(lattice), rescorer.names, strict=True)
        assert entry.score == pytest.approx(sum(w * entry.features[name][0] for w, name in parts))


def test_a_bound_on_states_is_kept_and_told(models: list[LanguageModel]) -> None:
    links = [Link(0, 1, word, -1.0) for word in ("das", "der", "ein")] + [Link(1, 2, "haus", -1.0)]
    lattice = WordLattice("u", links, 0, {2: (0.0, 0.0)})
    rescorer = LatticeRescorer(models[0], most_states=1, nbest=9)
    assert [e.text for e in rescorer.best(lattice)] == ["das haus"]
    assert rescorer.nodes_cut == 1


def test_htk_lattices() -> None:
    first, second = read_lattices([*SLF.splitlines(), *SLF.replace("u1", "u2").splitlines()], "slf")
    assert (first.name, second.name) == ("u1", "u2")
    assert (first.start, set(first.finals)) == (0, {3})
    assert first.links == second.links
    assert first.links[0] == Link(0, 1, "das", -10.0, -1.0)
    assert [link.word for link in first.links] == ["das", "der", "haus", "hund", "haus"]
    assert first.scales == {"Acoustic": 1.0, "LanguageModel": 2.0, "Words": -0.5}
    (tens,) = read_lattices(SLF.replace("UTT", "base=10\nUTT").splitlines(), "slf")
    assert tens.links[0].acoustic == pytest.approx(-10 * math.log(10))


def test_kaldi_lattices() -> None:
    symbols = {"8": "hund", "das": "das", "der": "der", "haus": "haus"}
    first, second = read_lattices(KALDI.splitlines(), "kaldi", symbols=symbols)
    assert first.links[0] == Link(0, 1, "das", -20.5, -1.5)
    assert first.links[3] == Link(1, 2, "", -9.0, -2.5)
    assert first.finals == {2: (-0.75, -0.25)}
    assert second.links == [Link(0, 1, "hund", -2.0, -1.0)]
    assert second.finals == {1: (0.0, 0.0)}


@pytest.mark.parametrize(
    ("format", "text", "message"),
    [
        ("slf", "VERSION=1.0\nJ=0 S=0 E=1\nJ=1 S=1 E=0 W=a\nstart=0 end=1\n", "cycle through node"),
        ("slf", "VERSION=1.0\nJ=0 S=0 E=x\n", ":2: the number of a node is wanted, not 'x'"),
        ("slf", "VERSION=1.0\nL=3\nJ=0 S=0 E=1\n", "announces 3 links, and there are 1"),
        ("slf", "VERSION=1.0\nnonsense\n", ":2: not a line of a lattice of HTK"),
        ("slf", "VERSION=1.0\nJ=0 S=0 E=1 a=1e999\n", "a number is wanted"),
        ("slf", "VERSION=1.0\nJ=0 S=0 E=1\nJ=1 S=2 E=1\n", "starts at one node"),
        ("slf", "VERSION=1.0\nN=1\n", "without links"),
        ("slf", "VERSION=1.0\nJ=0 E=1\n", "does not say where it starts"),
        ("kaldi", "u\n0 1 a 1,2\n\n", "no final node"),
        ("kaldi", "u\n0 1 a 1,2\n2\n\n", "no path of the lattice u leads"),
        ("kaldi", "u\n0 1 a b c d\n1\n", "columns"),
        ("kaldi", f"u\n0 1 {'x' * 2000} 1,2\n1\n", "a word of 2,000 characters"),
        ("kaldi", "u\n0 1 a nan,1\n1\n", "a number is wanted, not 'nan'"),
    ],
)
def test_what_is_no_lattice_is_refused(format: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(read_lattices(text.splitlines(), format))


def test_settings_are_checked(models: list[LanguageModel]) -> None:
    with pytest.raises(SettingsError, match="no feature is called"):
        LatticeRescorer(models, {"Score": 1.0})
    with pytest.raises(SettingsError, match="slf or kaldi"):
        list(LatticeRescorer(models).stream([], "lattice"))


def test_the_command(
    models: list[LanguageModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    models[0].save(tmp_path / "m")
    (tmp_path / "words.txt").write_text("<eps> 0\ndas 1\nder 2\nhaus 3\n")
    numbered = KALDI.split("\n\n")[0].replace("das", "1").replace("der", "2").replace("haus", "3") + "\n"
    arguments = [
        "rescore",
        "--lm",
        tmp_path / "m",
        "--format",
        "kaldi",
        "--symbols",
        tmp_path / "words.txt",
        "--nbest",
        9,
        "--to",
        "json",
    ]
    monkeypatch.setattr(sys, "argv", ["binyan", *map(str, arguments)])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(numbered.encode())))
    try:
        cli.main()
    except SystemExit as end:
        assert not end.code
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {(e["id"], e["text"]) for e in entries} == {("u1", t) for t in ("das haus", "der haus", "das", "der")}
    assert [e["score"] for e in entries] == sorted((e["score"] for e in entries), reverse=True)
    acoustic = {e["text"]: e["features"]["Acoustic"] for e in entries}
    assert acoustic["das haus"] == pytest.approx(-31.25)
