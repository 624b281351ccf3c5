"""Analyses as lines of text: gold rows, Morfessor's format, UniMorph tables, CoNLL-U, JSON."""

from __future__ import annotations

import json

from binyan.morphology.exports.analysed_words import AnalysedWord, AnalysedWords


def gold_rows(words: AnalysedWords) -> str:
    """Word, segments with labels, root or `_`: what `--known` and `--gold` take. Words without an analysis are left out."""
    return "".join(f"{row.gold_row}\n" for row in words if row.segmentation is not None)


def morfessor_text(words: AnalysedWords) -> str:
    """`3 un + do + ing`: count and morphs. A word without an analysis is one morph; one with gaps is cut at them."""
    return "".join(f"{row.count} {' + '.join(p.text for p in row.pieces) or row.word}\n" for row in words)


def unimorph_table(words: AnalysedWords) -> str:
    """Stem (or root, where there is one), form, features, segmentation. The features are the affixes: `pre(w);suf(hm)`.

    A root has the template among its features. A word without an analysis is its own stem, without features.
    """
    return "".join(f"{_unimorph_row(row)}\n" for row in words)


def _unimorph_row(row: AnalysedWord) -> str:
    features = [f"{p.label}({_feature(p.text)})" for p in row.parts if p.label not in ("stem", "root", "template")]
    if row.root and row.template:
        features.insert(0, f"template({_feature(row.template)})")
    segments = "|".join(p.text.replace("|", "\\p") for p in row.pieces) or row.word
    return "\t".join([row.root or row.stem, row.word, ";".join(features) or "_", segments])


def _feature(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\:").replace("(", "\\l").replace(")", "\\r")


def conllu_text(words: AnalysedWords) -> str:
    """CoNLL-U: forms, and in MISC the morphs (MSeg), their labels (MLabel), their glosses (MGloss), Root and Template."""
    blocks = []
    for number, sentence in enumerate(words.in_sentences(), 1):
        lines = [f"# sent_id = {number}", f"# text = {' '.join(row.word for row in sentence)}"]
        for place, row in enumerate(sentence, 1):
            lines.append("\t".join([str(place), row.word, *["_"] * 7, _misc(row, words)]))
        blocks.append("\n".join(lines) + "\n\n")
    return "".join(blocks)


def _misc(row: AnalysedWord, words: AnalysedWords) -> str:
    if not row.pieces:
        return "_"
    values = {
        "MSeg": "-".join(_escaped(p.text) for p in row.pieces),
        "MLabel": "-".join(_escaped(p.label) or "_" for p in row.pieces),
    }
    glosses = [words.gloss(part) for part in row.piece_owners]
    if any(glosses):
        values["MGloss"] = "-".join(_escaped(gloss) or "_" for gloss in glosses)
    if row.root:
        values["Root"] = _escaped(row.root)
    if row.template:
        values["Template"] = _escaped(row.template)
    return "|".join(f"{name}={value}" for name, value in sorted(values.items()))


def _escaped(text: str) -> str:
    """As Universal Dependencies writes what MISC gives a meaning; a hyphen inside a morph is \\-."""
    return text.replace("\\", "\\\\").replace("|", "\\p").replace(" ", "\\s").replace("-", "\\-")


def json_text(words: AnalysedWords) -> str:
    """One object: the words with parts, positions, root, template and probability, and the signature."""
    rows = [
        {
            "word": row.word,
            "count": row.count,
            "parts": [
                {"text": part.text, "label": part.label, "positions": list(places)}
                for part, places in zip(row.parts, row.segmentation.positions if row.segmentation else (), strict=True)
            ],
            "root": row.root,
            "template": row.template,
            "probability": None if row.segmentation is None else row.segmentation.probability,
        }
        for row in words
    ]
    content = {"language": words.language, "words": rows, "signature": words.signature}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
