"""LIFT 0.13, the lexicon format of FieldWorks, The Combine, WeSay and Dictionary App Builder: written and read."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from binyan import __version__
from binyan.errors import InputError
from binyan.files import PathLike
from binyan.morphology.exports.analysed_words import UNKNOWN_LANGUAGE, AnalysedWord, AnalysedWords
from binyan.morphology.exports.field_data import FieldData
from binyan.morphology.exports.morph_types import LABELS, morph_type, unmarked
from binyan.morphology.exports.xml_text import add, identifier, read_xml, xml_text
from binyan.segmentation import Part, Segmentation

VERSION = "0.13"
ANALYSIS_LANGUAGE = "en"
"""The language of glosses."""

_SEGMENTS, _ROOT, _TEMPLATE, _LABEL = "segments", "root", "template", "label"


def lift_document(words: AnalysedWords) -> bytes:
    """A lexicon: one entry per morpheme, with its morph type; the words that a stem is in are variants of its entry.

    A variant has its segments, its root and its template as traits. Words without an analysis are entries of their own, without a
    morph type.
    """
    root = Element("lift", {"version": VERSION, "producer": f"Binyan {__version__}"})
    add(root, "header")
    lexicon: dict[tuple[str, str], list[AnalysedWord]] = {}
    for row in words:
        for part in row.parts:
            users = lexicon.setdefault((part.text, part.label), [])
            if part.label in ("stem", "root") and (not users or users[-1] is not row):
                users.append(row)
        if row.root and (row.root, "root") not in lexicon:
            lexicon[row.root, "root"] = []
    homes = _homes(words, lexicon)
    for (text, label), users in lexicon.items():
        _entry(root, words, text, label, [row for row in users if homes[row.word] == (text, label)])
    for row in words:
        if row.word not in homes:
            _entry(root, words, row.word, "", [row] if row.segmentation else [])
    return xml_text(root)


def _homes(words: AnalysedWords, lexicon: dict[tuple[str, str], list[AnalysedWord]]) -> dict[str, tuple[str, str]]:
    """Of each word the entry it is a variant of: that of its first stem."""
    homes: dict[str, tuple[str, str]] = {}
    for key, users in lexicon.items():
        for row in users:
            homes.setdefault(row.word, key)
    return homes


def _entry(root: Element, words: AnalysedWords, text: str, label: str, users: list[AnalysedWord]) -> None:
    name = f"{text}_{label or 'word'}"
    entry = add(root, "entry", id=name, guid=identifier("entry", words.language, text, label))
    add(add(add(entry, "lexical-unit"), "form", lang=words.language), "text", text)
    if label:
        add(entry, "trait", name="morph-type", value=morph_type(label))
        add(entry, "trait", name=_LABEL, value=label)
    for row in users:
        variant = add(entry, "variant")
        add(add(variant, "form", lang=words.language), "text", row.word)
        add(variant, "trait", name=_SEGMENTS, value=str(row.segmentation))
        for trait, value in ((_ROOT, row.root), (_TEMPLATE, row.template)):
            if value:
                add(variant, "trait", name=trait, value=value)
    sense = add(entry, "sense", id=identifier("sense", words.language, text, label))
    gloss = words.gloss(Part(text, label)) if label else words.glosses.get(text, "")
    if gloss:
        add(add(sense, "gloss", lang=ANALYSIS_LANGUAGE), "text", gloss)


def read_lift(path: PathLike, language: str | None = None) -> FieldData:
    """The words, known analyses, affixes and roots of a LIFT file of any version from 0.10 to 0.13.

    Words are the entries that are neither affixes nor roots, and all variants; those with spaces are left out. Analyses are those that
    Binyan wrote, and their stems are no words by themselves. Forms are taken in `language`, or in the first that they are given in.
    """
    document = read_xml(path, "lift")
    data = FieldData(str(path), language or UNKNOWN_LANGUAGE)
    for entry in document.iter("entry"):
        if "dateDeleted" in entry.attrib:
            continue
        _read_lexical_unit(entry, data, language)
        _read_variants(entry, data, language)
    return data


def _read_lexical_unit(entry: Element, data: FieldData, language: str | None) -> None:
    traits = {t.get("name", ""): t.get("value", "") for t in entry.findall("trait")}
    kind = traits.get("morph-type", traits.get("MorphType", ""))
    label = traits.get(_LABEL) or LABELS.get(kind, "")
    for form in _forms(entry.find("lexical-unit"), language):
        if label == "root":
            data.add_root(unmarked(form, kind))
        elif label not in ("", "stem"):
            data.add_affix(unmarked(form, kind), label)
        elif _LABEL not in traits:
            data.add_word(unmarked(form, kind))


def _read_variants(entry: Element, data: FieldData, language: str | None) -> None:
    for variant in entry.findall("variant"):
        traits = {t.get("name", ""): t.get("value", "") for t in variant.findall("trait")}
        for form in _forms(variant, language):
            data.add_word(form)
            if _SEGMENTS in traits:
                try:
                    segmentation = Segmentation.parse(form, traits[_SEGMENTS])
                except InputError as error:
                    data.problems.append(f"{form}: {error}")
                    continue
                root, template = traits.get(_ROOT) or None, traits.get(_TEMPLATE) or None
                data.add_known(AnalysedWord(form, segmentation, root, template))


def _forms(element: Element | None, language: str | None) -> Iterator[str]:
    """The text of an element's form in the language; in its first language, where none is asked for."""
    for form in [] if element is None else element.findall("form"):
        content = form.find("text")
        text = "" if content is None else "".join(content.itertext()).strip()
        if text and (language is None or form.get("lang") == language):
            yield text
            return
