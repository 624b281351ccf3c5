"""Pictures of trees: every atom and symbol is there, nothing overlaps, right-to-left words start at the right."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from binyan.grammar.drawing import draw_html, draw_svg, runs_right_to_left
from binyan.grammar.text_drawing import draw_text
from binyan.grammar.tree import parse_tree

KITAB = parse_tree("(Word (Pre 0=w 1=a) (Stem (R3 2=k 4=t 6=b) (T2 3=i 5=A)) (Suf 7=i))")
ARABIC = parse_tree("(Word (Pre 0=و) (Stem (R3 1=ك 2=ت 4=ب) (T1 3=ا)) (Suf 5=ي))")
BINABAGSAK = parse_tree("(Word (Red 0=b 3=a) (Inf 1=i 2=n) (Stem 4=b 5=a 6=g 7=s 8=a 9=k))")
SVG = "{http://www.w3.org/2000/svg}"


def test_text_draws_crossing_branches() -> None:
    assert draw_text(KITAB) == (
        "                Word\n"
        "  ┌──────────────┼───────────────────┐\n"
        "  │             Stem                 │\n"
        "  │              ├────┐              │\n"
        "  │              T2   │              │\n"
        "  │              ├────│────┐         │\n"
        " Pre             │    R3   │        Suf\n"
        "  ├────┐    ┌────│────┼────│────┐    │\n"
        " 0=w  1=a  2=k  3=i  4=t  5=A  6=b  7=i\n"
    )


def test_text_of_a_right_to_left_word_is_numbered_and_marked() -> None:
    last = draw_text(ARABIC).splitlines()[-1]
    assert last.split() == [f"{i}={c}\u200e" for i, c in enumerate("وكتابي")]


def _texts(svg: str) -> list[tuple[str, float, float]]:
    return [
        (e.text or "", float(e.get("x", "")), float(e.get("y", "")))
        for e in ElementTree.fromstring(svg).iter(f"{SVG}text")
    ]


@pytest.mark.parametrize("tree", [KITAB, ARABIC, BINABAGSAK])
def test_svg_has_every_symbol_and_leaf_and_none_on_another(tree) -> None:  # type: ignore[no-untyped-def]
    texts = _texts(draw_svg(tree))
    shown = [text for text, _, _ in texts]
    for node in tree.subtrees():
        assert node.symbol in shown
    for leaf in tree.leaves():
        assert leaf.atom in shown and str(leaf.position) in shown
    by_row: dict[float, list[float]] = {}
    for _, x, y in texts:
        by_row.setdefault(y, []).append(x)
    for places in by_row.values():
        ordered = sorted(places)
        assert all(right - left > 15 for left, right in pairwise(ordered))


def test_leaves_stand_in_the_order_of_the_script() -> None:
    for tree, sign in ((KITAB, 1), (ARABIC, -1)):
        places = {text: x for text, x, _ in _texts(draw_svg(tree)) if text.isdigit()}
        assert all(sign * (places[str(i + 1)] - places[str(i)]) > 0 for i in range(len(places) - 1))
    assert runs_right_to_left("'كتاب") and runs_right_to_left("ספר") and not runs_right_to_left("kitAb ك")


def test_html_isolates_words_and_escapes() -> None:
    page = draw_html([(parse_tree("(Word 0=< 1=&)"), "a <caption>"), (ARABIC, "")], "Trees & words")
    assert '<bdi dir="auto" class="word">&lt;&amp;</bdi>' in page and "a &lt;caption&gt;" in page
    assert page.count("<svg") == 2 and "<bdi>0=و)</bdi>" in page
