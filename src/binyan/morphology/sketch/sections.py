"""The sections of a grammar sketch, from what is known of a morphology."""

from __future__ import annotations

from collections.abc import Sequence

from binyan.morphology.paradigm.frame import REST
from binyan.morphology.paradigm.tables import Paradigms
from binyan.morphology.sketch.alternations import EDGE, Alternation
from binyan.morphology.sketch.document import Block, Form, Heading, Inline, Paragraph, Table
from binyan.morphology.sketch.facts import SURE, AffixFact, RootFact, TemplateFact, UncertainWord

KINDS = {
    "pre": "Prefixes",
    "suf": "Suffixes",
    "inf": "Infixes",
    "circ": "Circumfixes",
    "redup": "Reduplication",
    "clitic": "Clitics",
}
_WORDS_OF_A_ROOT = 8


def affix_section(facts: Sequence[AffixFact], words: int, most: int) -> list[Block]:
    """Affixes by kind, with frequencies, neighbours and examples."""
    blocks: list[Block] = [Heading("Affixes")]
    if not facts:
        return [*blocks, Paragraph(["No affixes were found: every word is a stem."])]
    blocks.append(
        Paragraph(
            [
                "An affix is counted where it stands in the most probable analysis of a word. “Next to” says what stands on its inner "
                "side: the stem, or another affix. “Certainty” is the mean probability of these analyses."
            ]
        )
    )
    for kind in dict.fromkeys([*KINDS, *(fact.kind for fact in facts)]):
        of_kind = [fact for fact in facts if fact.kind == kind]
        if of_kind:
            name = KINDS.get(kind, f"Parts labelled {kind}")
            caption = name if len(of_kind) <= most else f"{name}: the {most} most frequent of {len(of_kind)}"
            columns = [["affix"], ["words"], ["share"], ["stems"], ["next to"], ["certainty"], ["examples"]]
            rows = [_affix_row(fact, words) for fact in of_kind[:most]]
            blocks.append(Table(caption, columns, rows, frozenset({1, 2, 3, 5})))
    return blocks


def _affix_row(fact: AffixFact, words: int) -> list[Inline]:
    neighbours: list[str | Form] = []
    for text, times in fact.next_to:
        neighbours += [", " if neighbours else "", Form(text) if text else "the stem", f" {times:,}"]
    share = f"{fact.words / words:.1%}"
    return [
        [Form(fact.text)],
        [f"{fact.words:,}"],
        [share],
        [f"{fact.stems:,}"],
        neighbours,
        [f"{fact.certainty:.0%}"],
        forms(fact.examples),
    ]


def template_section(templates: Sequence[TemplateFact], roots: Sequence[RootFact], most: int) -> list[Block]:
    """Templates and families of roots; nothing where words have no roots."""
    if not roots:
        return []
    blocks: list[Block] = [
        Heading("Roots and templates"),
        Paragraph([f"{len(roots):,} roots are laced into {len(templates):,} templates; a dash stands for a radical."]),
    ]
    rows: list[list[Inline]] = []
    for fact in templates[:most]:
        examples: list[str | Form] = []
        for root, word in fact.examples:
            examples += [", " if examples else "", Form(word), " (", Form(root), ")"]
        rows.append([[Form(fact.text)], [f"{fact.roots:,}"], [f"{fact.words:,}"], examples])
    blocks.append(
        Table("Templates", [["template"], ["roots"], ["words"], ["examples (root)"]], rows, frozenset({1, 2}))
    )
    families: list[list[Inline]] = []
    for family in roots[:most]:
        more = [f" and {len(family.words) - _WORDS_OF_A_ROOT} more"] if len(family.words) > _WORDS_OF_A_ROOT else []
        words: Inline = [*forms(family.words[:_WORDS_OF_A_ROOT]), *more]
        families.append([[Form(family.text)], [f"{len(family.words)}"], words, forms(family.templates)])
    columns = [["root"], ["words"], ["family"], ["templates"]]
    return [*blocks, Table("Roots with the largest families", columns, families, frozenset({1}))]


def paradigm_section(paradigms: Paradigms) -> list[Block]:
    """Paradigms side by side, gaps filled."""
    columns: list[Inline] = [[paradigms.by], *([Form(column)] for column in paradigms.columns)]
    rows: list[list[Inline]] = []
    for row in paradigms:
        cells = {c.template if paradigms.by == "root" else c.affixes: c for c in row.cells}
        shown = [cells.get(column) for column in paradigms.columns]
        rows.append([[Form(row.base)], *([Form(c.form, gap=not c.attested)] if c else [] for c in shown)])
    what = "templates" if paradigms.by == "root" else f"affixes ({REST} is the stem)"
    said = (
        f"The {paradigms.by}s with the most forms, in the most widespread {what}. Forms in italics or brackets are not in the list: "
        "they are what the pattern would give, not words that are known to exist."
    )
    return [Heading("Paradigms"), Paragraph([said]), Table(f"Paradigms by {paradigms.by}", columns, rows)]


def alternation_section(alternations: Sequence[Alternation], vowels: Sequence[str]) -> list[Block]:
    """Candidates, worded as such."""
    blocks: list[Block] = [Heading("Alternations")]
    if not alternations:
        return [
            *blocks,
            Paragraph(
                [
                    "No candidates were found: no two similar affixes or stems take turns in a way that a neighbouring letter tells."
                ]
            ),
        ]
    said: list[str | Form] = [
        "Candidates only: pairs that look alike, hardly ever share a neighbour, and take turns by a letter nearby. Whether they are one "
        "morpheme is for the reader to judge; “#” is the edge of the word."
    ]
    if vowels:
        said += [" Letters that behave like vowels (Sukhotin’s algorithm): ", *forms(vowels), "."]
    blocks.append(Paragraph(said))
    captions = {
        "Affixes that may be variants of one": ("prefix", "suffix"),
        "Letters at the end of stems that may alternate": ("stem",),
    }
    for caption, kinds in captions.items():
        rows = [_alternation_row(a) for a in alternations if a.kind in kinds]
        columns = [["variants"], ["told by"], ["first with"], ["second with"], ["words"], ["exceptions"], ["examples"]]
        if rows:
            blocks.append(Table(caption, columns, rows, frozenset({4, 5})))
    return blocks


def _alternation_row(a: Alternation) -> list[Inline]:
    letters = [[x if x == EDGE else Form(x) for x in side[:12]] for side in a.letters]
    spaced = [[piece for letter in side for piece in (letter, " ")] for side in letters]
    examples = [*forms(a.examples[0]), " ~ ", *forms(a.examples[1])]
    variants: Inline = [Form(a.variants[0]), " ~ ", Form(a.variants[1])]
    return [variants, [a.nearby], spaced[0], spaced[1], [f"{a.words:,}"], [f"{a.exceptions:,}"], examples]


def uncertainty_section(
    unsure: Sequence[UncertainWord], facts: Sequence[AffixFact], words: int, unparsable: Sequence[str], most: int
) -> list[Block]:
    """Words whose analyses split, affixes that rest on little."""
    said = f"{len(unsure):,} of {words:,} words ({len(unsure) / max(words, 1):.0%}) have no analysis with a probability of {SURE:.0%} or more."
    blocks: list[Block] = [Heading("What is uncertain"), Paragraph([said])]
    rows: list[list[Inline]] = []
    for word in unsure[:most]:
        pairs: list[Inline] = [[Form(text), f" {probability:.0%}"] for text, probability in word.analyses]
        rows.append([[Form(word.word)], pairs[0], pairs[1] if len(pairs) > 1 else []])
    if rows:
        blocks.append(Table("Words whose analyses split", [["word"], ["best analysis"], ["next"]], rows))
    doubtful = [fact for fact in facts if fact.words > 1 and fact.certainty < SURE]
    rare = [fact for fact in facts if fact.words == 1]
    if doubtful:
        shown = doubtful[:most]
        rest = f" and {len(doubtful) - most:,} more" if len(doubtful) > most else ""
        blocks.append(
            Paragraph(["Affixes whose words are uncertain on average: ", *forms([f.text for f in shown]), f"{rest}."])
        )
    if rare:
        blocks.append(Paragraph([f"{len(rare):,} affixes stand in one word only, and may be none."]))
    if unparsable:
        some = [*forms(unparsable[:most]), " …" if len(unparsable) > most else ""]
        blocks.append(Paragraph([f"The grammar cannot derive {len(unparsable):,} words: ", *some, "."]))
    return blocks


def forms(texts: Sequence[str]) -> list[str | Form]:
    """Forms, separated by commas."""
    pieces: list[str | Form] = []
    for text in texts:
        pieces += [", " if pieces else "", Form(text)]
    return pieces
