"""The catalogue of the studio's texts: every language has every text, and every text that the page uses is there."""

from __future__ import annotations

import re
from importlib.resources import files

STATIC = files("binyan.studio.static")
CATALOGUE = STATIC.joinpath("texts.js").read_text(encoding="utf-8")


def pairs(language: str) -> dict[str, str]:
    body = re.search(rf"^  {language}: \{{$(.*?)^  \}},$", CATALOGUE, re.M | re.S)
    assert body is not None
    return dict(re.findall(r'"?([\w-]+)"?: "((?:[^"\\]|\\.)*)"', body[1]))


def keys(language: str) -> set[str]:
    return set(pairs(language))


def test_both_languages_have_the_same_texts():
    assert keys("en") == keys("de") and len(keys("en")) > 100


def test_places_are_the_same_in_both_languages():
    def places(language: str) -> dict[str, list[str]]:
        return {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in pairs(language).items()}

    assert places("en") == places("de")


def test_every_text_in_use_exists():
    used: set[str] = set()
    for name in ("app", "studio", "project", "grammar", "learning", "review", "editor", "results"):
        used |= set(re.findall(r'\bt\("([\w-]+)"', STATIC.joinpath(f"{name}.js").read_text(encoding="utf-8")))
    families = {key for key in used if key.endswith("_")}
    assert used - families <= keys("en") and len(used) > 80
    assert all(any(key.startswith(family) for key in keys("en")) for family in families)
