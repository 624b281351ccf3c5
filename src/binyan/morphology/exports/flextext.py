"""Interlinear text for FieldWorks (.flextext): written and read."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from binyan.files import PathLike
from binyan.morphology.exports.analysed_words import UNKNOWN_LANGUAGE, AnalysedWord, AnalysedWords
from binyan.morphology.exports.field_data import FieldData
from binyan.morphology.exports.morph_types import LABELS, laced, marked, morph_type, unmarked
from binyan.morphology.exports.xml_text import add, identifier, read_xml, xml_text

ANALYSIS_LANGUAGE = "en"


def flextext_document(words: AnalysedWords) -> bytes:
    """One text: a phrase per sentence, words with their morphemes, types and glosses, which are empty where none are known."""
    language = words.language
    root = Element("document", {"version": "2"})
    text = add(root, "interlinear-text", guid=identifier("text", language, words.signature))
    add(text, "item", "Binyan", type="title", lang=ANALYSIS_LANGUAGE)
    paragraphs = add(text, "paragraphs")
    for number, sentence in enumerate(words.in_sentences(), 1):
        key = language, words.signature, str(number)
        paragraph = add(paragraphs, "paragraph", guid=identifier("paragraph", *key))
        phrase = add(add(paragraph, "phrases"), "phrase", guid=identifier("phrase", *key))
        add(phrase, "item", str(number), type="segnum", lang=ANALYSIS_LANGUAGE)
        group = add(phrase, "words")
        for place, row in enumerate(sentence):
            _word(group, row, words, identifier("word", *key, str(place)))
    languages = add(text, "languages")
    add(languages, "language", lang=language, vernacular="true")
    add(languages, "language", lang=ANALYSIS_LANGUAGE)
    return xml_text(root)


def _word(group: Element, row: AnalysedWord, words: AnalysedWords, guid: str) -> None:
    word = add(group, "word", guid=guid)
    add(word, "item", row.word, type="txt", lang=words.language)
    if not row.parts:
        return
    morphemes = add(word, "morphemes", analysisStatus="guess")
    for part in row.parts:
        kind = morph_type(part.label)
        morph = add(morphemes, "morph", type=kind, guid=identifier("morph", words.language, part.text, part.label))
        add(morph, "item", marked(part.text, kind), type="txt", lang=words.language)
        add(morph, "item", words.gloss(part), type="gls", lang=ANALYSIS_LANGUAGE)


def read_flextext(path: PathLike, language: str | None = None) -> FieldData:
    """The words and known analyses of interlinear texts. A word whose morphemes do not spell it is listed as a problem.

    Words are taken in `language`, or in the first that they are given in. Underlying forms of morphemes (`cf`) are not used: the
    forms that stand in the word are.
    """
    data = FieldData(str(path), language or UNKNOWN_LANGUAGE)
    for word in read_xml(path, "document").iter("word"):
        text = _item(word, "txt", language)
        if text is None:
            continue
        data.add_word(text)
        morphs = [(morph.get("type", ""), _item(morph, "txt", language)) for morph in word.iter("morph")]
        if not morphs or any(form is None for _, form in morphs):
            continue
        parts = [(unmarked(form or "", kind), LABELS.get(kind, "stem")) for kind, form in morphs]
        for form, label in parts:
            if label not in ("stem", "root"):
                data.add_affix(form, label)
        segmentation = laced(text, parts)
        if segmentation is None:
            data.problems.append(f"{text}: its morphemes {' '.join(form for form, _ in parts)} do not spell it")
        else:
            data.add_known(AnalysedWord(text, segmentation))
    return data


def _item(element: Element, kind: str, language: str | None) -> str | None:
    for item in element.findall("item"):
        if item.get("type") == kind and (language is None or item.get("lang") == language):
            return ("".join(item.itertext()).strip()) or None
    return None
