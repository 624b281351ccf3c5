"""Perplexity, its breakdowns, differences and traces, on a model small enough to work out by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from binyan.errors import InputError, SettingsError
from binyan.evaluation import (
    HeldOutText,
    breakdown,
    by_order,
    by_training_size,
    change,
    evaluate,
    grouping,
    largest_differences,
    summary,
    trace,
)
from binyan.evaluation.breakdown import cross
from binyan.evaluation.plots import inline_svg, save
from binyan.evaluation.table import Chart, Column, Table
from binyan.language_model import END, LanguageModel, Scores, WordScore
from binyan.signature import Signature
from binyan.text import Preparation, Vocabulary


class Unigram(LanguageModel):
    """Known words by given chances; matched is the length of the word, so that tests can choose hit lengths."""

    kind = "unigram"

    def __init__(self, chances: dict[str, float], counts: dict[str, int] | None = None, order: int = 4) -> None:
        self.vocabulary = Vocabulary(w for w in chances if not w.startswith("<"))
        self.order, self.preparation, self.counts = order, Preparation(lowercase=True), counts
        self.chances = chances

    def begin(self):
        return ()

    def score_word(self, state, word):
        known = word in self.vocabulary
        return WordScore((), math.log(self.chances[word if known else "<unk>"]), min(len(word), self.order), not known)

    def score_sentences(self, sentences):
        sentences = list(sentences)
        scores = [self.score_word((), w) for s in sentences for w in (*s, END)]
        return Scores(
            np.array([s.log_prob for s in scores]),
            np.array([s.matched for s in scores], np.uint8),
            np.array([s.unknown for s in scores]),
            np.cumsum([0, *(len(s) + 1 for s in sentences)]).astype(np.uint64),
        )

    def distribution(self, state):
        return np.array([self.chances.get(w, 0.0) for w in self.vocabulary.words])

    def training_counts(self):
        return None if self.counts is None else np.array([self.counts.get(w, 0) for w in self.vocabulary.words])

    def signature(self):
        return Signature({"model": "unigram", "haus": self.chances["haus"]})

    def contents(self):
        raise NotImplementedError

    @classmethod
    def from_file(cls, file):
        raise NotImplementedError


EVEN = {"<unk>": 1 / 8, END: 1 / 4, "haus": 1 / 8, "im": 1 / 4, "hochhaus": 1 / 4}
SKEWED = {"<unk>": 1 / 8, END: 1 / 4, "haus": 1 / 2, "im": 1 / 16, "hochhaus": 1 / 16}
TEXT = ["im Haus", "im Hochhaus im Garten"]


def parts_of(word: str) -> int:
    return 2 if word in ("hochhaus", "garten") else 1


def test_report_by_hand():
    report = evaluate(Unigram(EVEN), TEXT).to_dict()
    # im haus </s> im hochhaus im <unk> </s>: 2 3 2 2 2 2 3 2 bits; the text is "im haus\nim hochhaus im garten\n".
    assert report["perplexity"] == pytest.approx(2 ** (18 / 8))
    assert report["perplexity_known"] == pytest.approx(2 ** (15 / 7))
    assert report["bits_per_character"] == pytest.approx(18 / 30)
    assert (report["tokens"], report["unknown"]) == (8, 1)
    assert "model:unigram" in report["signature"] and "text:" in report["signature"]


@pytest.mark.parametrize("name", ["hit-length", "frequency", "compound", "parts", "hit-length-compound"])
def test_groups_partition_the_events(name):
    model = Unigram(EVEN, {"im": 1000, "haus": 9, "hochhaus": 10, END: 3})
    evaluation = evaluate(model, TEXT)
    table = breakdown([evaluation], grouping(name, evaluation, model, parts_of))
    assert sum(table.column("tokens")) == 8
    assert sum(n * b for n, b in zip(table.column("tokens"), table.column("bits"), strict=True)) == pytest.approx(18)
    assert sum(table.column("share")) == pytest.approx(1)


def test_groups_by_hand():
    model = Unigram(EVEN, {"im": 1000, "haus": 9, "hochhaus": 10, END: 3})
    e = evaluate(model, TEXT)

    def rows(name):
        groups = grouping(name, e, model, parts_of)
        return [row[: len(groups.names) + 1] for row in breakdown([e], groups).rows]

    assert rows("hit-length") == [["2", 3], ["4", 5]]
    assert rows("frequency") == [["unknown", 1], ["1–9", 3], ["10–99", 1], ["1,000–9,999", 3]]
    assert rows("compound") == [["compound", 1], ["other", 7]]  # garten is unknown, so not a compound
    assert rows("parts") == [["1", 7], ["2", 1]]
    assert rows("hit-length-compound") == [["2", "other", 3], ["4", "compound", 1], ["4", "other", 4]]


def test_parts_of_speech(tmp_path):
    columns = "\t".join(["_"] * 6)
    path = tmp_path / "a.conllu"
    path.write_text(f"1\tIm\t_\tADP\t{columns}\n2\tHaus\t_\tNOUN\t{columns}\n\n1\tHaus\t_\tNOUN\t{columns}\n")
    e = evaluate(Unigram(EVEN), path)
    assert [row[:2] for row in breakdown([e], grouping("pos", e)).rows] == [["NOUN", 2], ["ADP", 1], ["</s>", 2]]
    with pytest.raises(InputError, match="CoNLL-U"):
        grouping("pos", evaluate(Unigram(EVEN), TEXT))


def test_change_by_group():
    one, other = evaluate(Unigram(EVEN), TEXT, "even"), evaluate(Unigram(SKEWED), TEXT, "skewed")
    table = change([one, other], grouping("compound", one, parts_of=parts_of))
    assert table.column("even bits") == pytest.approx([2, 16 / 7])
    assert table.column("skewed bits") == pytest.approx([4, 20 / 7])
    assert table.column("change %") == pytest.approx([100, 25])


def test_largest_differences_both_ways():
    one, other = evaluate(Unigram(EVEN), TEXT, "even"), evaluate(Unigram(SKEWED), TEXT, "skewed")
    table = largest_differences(one, other, top=2, show=lambda w: w.replace("hochh", "hoch+h"))
    assert [row[:3] for row in table.rows] == [
        ["even", "<s> im", 3 / 16],  # twice in the text, listed once
        ["even", "<s> im hoch+haus", 3 / 16],
        ["skewed", "<s> im haus", 3 / 8],
    ]
    only = np.array([w == "haus" for w in one.text.words])
    assert len(largest_differences(one, other, only=only).rows) == 1


def test_other_vocabulary_or_text_is_refused():
    one = evaluate(Unigram(EVEN), TEXT, "one")
    more = evaluate(Unigram({**EVEN, "hof": 0.1}), TEXT, "more")
    with pytest.raises(InputError, match="one knows 6 words and more 7.*same --vocabulary"):
        summary([one, more])
    with pytest.raises(InputError, match="same text"):
        largest_differences(one, evaluate(Unigram(EVEN), TEXT[:1]))


def test_unusable_breakdowns_say_why():
    e = evaluate(Unigram(EVEN, order=0), TEXT)
    with pytest.raises(SettingsError, match="no hit lengths"):
        grouping("hit-length", e)
    with pytest.raises(SettingsError, match="seen in training"):
        grouping("frequency", e, Unigram(EVEN))
    with pytest.raises(SettingsError, match="--segmentation"):
        grouping("compound", e)
    with pytest.raises(SettingsError, match="not by 'colour'"):
        grouping("colour", e)
    with pytest.raises(InputError, match="no sentence"):
        HeldOutText.read([])


def test_by_order_and_training_size():
    models = [(order, name, Unigram(c, order=order)) for order in (2, 3) for name, c in (("a", EVEN), ("b", SKEWED))]
    evaluations = [(order, evaluate(model, TEXT, name)) for order, name, model in models]
    table = by_order([e for _, e in evaluations])
    assert [c.name for c in table.columns] == ["order", "a", "b"]
    assert table.rows[0] == [2, pytest.approx(2 ** (18 / 8)), pytest.approx(2 ** (24 / 8))]
    sizes = by_training_size([(order * 1000, e) for order, e in evaluations], baseline="a")
    assert sizes.rows[1] == [3000, pytest.approx(100 * (2 ** (6 / 8) - 1))]


def test_table_forms():
    table = Table("Two", [Column("a"), Column("b", ".1f")], [["x|y", 1.25], ["[bold]", math.nan]], "sig:1", "a note")
    assert "x|y      1.2" in table.terminal(80) and "[bold]" in table.terminal(80) and "–" in table.terminal(80)
    assert table.tsv().splitlines() == ["# Two", "# a note", "# sig:1", "a\tb", "x|y\t1.25", "[bold]\tnan"]
    assert "| x\\|y | 1.2 |" in table.markdown() and "`sig:1`" in table.markdown()
    stored = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert stored["rows"] == [{"a": "x|y", "b": 1.25}, {"a": "[bold]", "b": None}]
    assert Table.from_dict(stored).to_dict() == stored


def test_trace_and_drawings(tmp_path):
    table = trace({"chain 1": [-30.0, -12, -10, -10, -11, -10], "chain 2": [-40.0, -13, -10, -11]}, "sig", burn_in=2)
    assert table.rows[4] == [5, -11, None] and "R-hat" in table.note
    e = evaluate(Unigram(EVEN), TEXT, "even")
    tables = [
        table,
        summary([e]),
        by_order([e]),
        breakdown([e], cross(grouping("hit-length", e), grouping("parts", e, parts_of=parts_of))),
    ]
    for number, drawn in enumerate(tables):
        save(drawn, tmp_path / f"{number}.png")
        save(drawn, tmp_path / f"{number}.svg")
        assert (tmp_path / f"{number}.png").stat().st_size > 5000
        assert (tmp_path / f"{number}.svg").read_text().count("model:unigram") == (0 if drawn is table else 1)
        svg = inline_svg(drawn)
        assert svg.startswith("<svg") and "currentColor" in svg and drawn.title in svg and "#1a1b1c" not in svg
        assert svg == inline_svg(drawn)
    with pytest.raises(SettingsError, match=".png or .svg"):
        save(table, tmp_path / "a.gif")


def test_points_have_their_names_beside_them():
    columns = [Column("model"), Column("minutes"), Column("perplexity")]
    rows = [["mkn", 0.1, 200.0], ["hpylm", 0.1, 199.0], ["lstm", 10.0, 150.0], ["none", 1.0, None]]
    chart = Chart("points", "minutes", ["perplexity"], series="model", log_x=True, marks={"1 minute": 1.0})
    drawn = inline_svg(Table("Costs", columns, rows, "", chart=chart))
    assert all(f">{name}</text>" in drawn for name in ("mkn", "hpylm", "lstm", "1 minute"))
    assert ">none<" not in drawn
