"""The grammar sketch says what is in the words, and candidates for alternations are those that were put there."""

from __future__ import annotations

import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.morphology import Morphology
from binyan.morphology.sketch.alternations import affix_alternations, stem_alternations
from binyan.morphology.sketch.document import Form, Heading, Paragraph, Table, markdown, web_page
from binyan.text.vowels import vowels

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Stems of five letters, and suffixes from a list: every word has one analysis.
GRAMMAR = """
Word -> Stem | Stem Suf
@Stem -> C V C V C
@Suf -> 'l' 'a' 'r' | 'l' 'e' 'r' | 'i' | 'd' 'a' | 'd' 'e'
C -> <any but "aeiou">
V -> <any of "aeiou">
role stem Stem
role suffix Suf
"""


def harmonic(shuffled: bool = False) -> list[str]:
    """Stems with a or e, plural -lar or -ler by the vowel; a final p that is b before a vowel."""
    draw = random.Random(7)
    words = []
    for i in range(60):
        vowel = "ae"[i % 2]
        stem = "".join((draw.choice("ktsmnz"), vowel, draw.choice("ktsmnz"), vowel))
        plural = draw.choice(["lar", "ler"]) if shuffled else f"l{vowel}r"
        last = draw.choice("pb") if shuffled else "p"
        words += [stem + "p", stem + last + plural, stem + (draw.choice("pb") if shuffled else "b") + "i"]
    return words


def learnt(words: list[str]) -> Morphology:
    grammar = binyan.Grammar.from_text(GRAMMAR, "harmony")
    return Morphology(grammar, sweeps=10, burn_in=5, chains=2).fit(words, progress=False)


@pytest.fixture(scope="module")
def turkic() -> Morphology:
    return learnt(harmonic())


def test_alternations_that_were_put_in_are_found(turkic):
    sketch = turkic.sketch()
    [plural] = [a for a in sketch.alternations if a.kind == "suffix"]
    assert set(plural.variants) == {"-lar", "-ler"} and plural.nearby == "the nearest vowel"
    with_letters = dict(zip(plural.variants, plural.letters, strict=True))
    assert with_letters == {"-lar": ("a",), "-ler": ("e",)} and plural.exceptions == 0 and plural.explained > 15
    [voicing] = [a for a in sketch.alternations if a.kind == "stem"]
    with_letters = dict(zip(voicing.variants, map(set, voicing.letters), strict=True))
    assert with_letters == {"b": {"i"}, "p": {"#", "l"}} and voicing.exceptions == 0
    assert sketch.likely_vowels == ["a", "e", "i"]


def test_where_nothing_alternates_nothing_is_found():
    words = learnt(harmonic(shuffled=True)).word_readings()
    assert affix_alternations(words, frozenset("aei"), 10) == [] and stem_alternations(words, 10) == []


def test_vowels_by_their_neighbours():
    words = ["banana", "kitap", "masalar", "deniz", "ruhum", "tomurcuk", "kelime"]
    assert vowels(list(w) for w in words) == frozenset("aeiou")
    assert vowels([]) == vowels([["a"]]) == frozenset()


def test_affixes_and_their_figures(turkic):
    sketch = turkic.sketch()
    facts = {fact.text: fact for fact in sketch.affixes}
    words = set(turkic.words.words)
    for text in ("lar", "ler", "i"):
        fact = facts[f"-{text}"]
        ending = [w for w in words if len(w) > 5 and w[5:] == text]
        assert (fact.words, fact.stems, fact.kind) == (len(ending), len({w[:5] for w in ending}), "suf")
        assert fact.next_to == (("", len(ending)),) and fact.certainty == pytest.approx(1.0)
        assert set(e.replace("-", "") for e in fact.examples) <= set(ending)
    assert sketch.uncertain == [] and sketch.roots == []


class Page(HTMLParser):
    """Tags must be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("meta", "line", "rect", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_stands_by_itself(turkic, tmp_path: Path):
    turkic.sketch("A <sketch> & more").save(tmp_path / "sketch.html")
    page = (tmp_path / "sketch.html").read_text(encoding="utf-8")
    parsed = Page()
    parsed.feed(page)
    assert parsed.open == [] and parsed.tags.count("svg") == parsed.tags.count("figure") > 0
    assert not re.search(r"""(src|href)=["']?(https?:|//)|@import|<script|url\(""", page)
    assert "A &lt;sketch&gt; &amp; more" in page and "<sketch>" not in page
    assert "prefers-color-scheme:dark" in page and "@media print" in page and '<html lang="en">' in page
    assert parsed.tags.count("caption") == parsed.tags.count("table") and 'scope="row"' in page
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page
    assert str(turkic.signature()) in page


def test_markdown_and_json(turkic, tmp_path: Path):
    sketch = turkic.sketch(limit=3)
    sketch.save(tmp_path / "sketch.md")
    text = (tmp_path / "sketch.md").read_text(encoding="utf-8")
    assert text == str(sketch) and "## Alternations" in text and "*-lar*" in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    plain = json.loads(json.dumps(sketch.to_dict()))
    assert len(plain["affixes"]) == 3 and plain["alternations"][0]["exceptions"] == 0
    assert "agreement" in plain["learning"] and "100%" in plain["learning"]["agreement"]
    with pytest.raises(SettingsError, match=r"saved as \.html or \.md"):
        sketch.save(tmp_path / "sketch.pdf")
    with pytest.raises(SettingsError, match="1 to 1000 rows"):
        turkic.sketch(limit=0)


def test_letters_that_mean_something_to_markdown_or_html():
    blocks = [Heading("A|b"), Paragraph(["say ", Form("*x|<y>"), "_"]), Table("t", [["a"]], [[[Form("[כתב]")]]])]
    text, page = markdown("T", blocks, "s"), web_page("T", blocks, "s")
    assert r"*\*x\|\<y\>*" in text and "\u2068" in text and r"A\|b" in text
    assert "*x|&lt;y&gt;" in page and '<bdi dir="auto" class="form">[כתב]</bdi>' in page


def test_roots_templates_and_doubts():
    words = [w.word for w in binyan.datasets.semitic_words(150, 1, "arabic")]
    morphology = Morphology("root-template-vocalised", sweeps=40, chains=2, seed=2).fit(words, progress=False)
    sketch = morphology.sketch()
    assert sketch.roots and sketch.templates and "Roots and templates" in sketch.to_markdown()
    for fact in sketch.templates[:5]:
        assert fact.text.count("–") >= 3 and 0 < fact.roots <= fact.words
    for root in sketch.roots[:5]:
        assert set(root.words) <= set(words) and len(root.templates) <= len(root.words)
    for doubt in sketch.uncertain:
        assert doubt.analyses[0][1] < 0.6 and doubt.word in words
    assert "one chain" in str(Morphology("concat", sweeps=5, chains=1).fit(words[:20], progress=False).sketch())


def test_models_without_chains_or_analyses(turkic, tmp_path: Path):
    turkic.save(tmp_path / "m", reduced=True)
    assert "saved without its chains" in binyan.load(tmp_path / "m").sketch().to_markdown()
    none = binyan.Grammar.from_text("Word -> Stem\n@Stem -> 'x'\nrole stem Stem")
    with pytest.raises(InputError):
        Morphology(none, sweeps=5, chains=1).fit(["abc"], progress=False).sketch()


def test_command(turkic, tmp_path: Path):
    turkic.save(tmp_path / "m")
    run = CliRunner()
    done = run.invoke(
        app, ["morph", "sketch", str(tmp_path / "m"), "--out", str(tmp_path / "s.html"), "--title", "Turkic"]
    )
    assert done.exit_code == 0 and "<title>Turkic</title>" in (tmp_path / "s.html").read_text(encoding="utf-8")
    shown = run.invoke(app, ["morph", "sketch", str(tmp_path / "m"), "--limit", "2"])
    assert shown.exit_code == 0 and shown.stdout.startswith("# Grammar sketch: m")
    assert isinstance(
        run.invoke(app, ["morph", "sketch", str(tmp_path / "m"), "-o", str(tmp_path / "no" / "s.html")]).exception,
        SettingsError,
    )
