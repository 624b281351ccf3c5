"""Paradigms made from the families of words: which cells are shown, and the forms of the gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from binyan.errors import InputError, SettingsError
from binyan.morphology.paradigm.families import Base, By, Families, Key, Member, WordReading
from binyan.morphology.paradigm.frame import BARE, REST, Frame
from binyan.morphology.paradigm.tables import Paradigm, ParadigmCell, Paradigms

_ROWS, _COLUMNS = 10, 8  # templates and affixes of the table of one root
_MOST_CELLS = 5_000


@dataclass(frozen=True)
class ParadigmBuilder:
    """The words of a morphology read off, and what it says of the probability of any word."""

    words: Sequence[WordReading]
    log_probability: Callable[[str], float]
    atoms: Callable[[str], list[str]]
    signature: str

    @cached_property
    def stems(self) -> Families:
        """Words by stem."""
        return Families("stem", self.words)

    @cached_property
    def roots(self) -> Families:
        """Words by root."""
        return Families("root", self.words)

    def families(self, by: By | None) -> Families:
        """Words by stem or root; by root, if None, where words have roots. Raises SettingsError where none has one."""
        if by not in (None, "stem", "root"):
            raise SettingsError(f"paradigms are by 'stem' or by 'root', not {by!r}")
        if by == "root" and not self.roots.members:
            raise SettingsError(
                "no word of the list has a root: does the grammar have symbols with the role of a root? Lay words out by stem"
            )
        return self.roots if by == "root" or (by is None and self.roots.members) else self.stems

    # One stem or root.

    def paradigm(self, base: str, by: By | None, limit: int) -> Paradigm:
        """The cells of a stem or root that are seen, and the most probable `limit` of the others."""
        _check_limits(limit)
        atoms = tuple(self.atoms(base))
        families = next((f for f in self._searched(by) if atoms in f.members), None)
        if families is None:
            raise self._unknown(base, by)
        keys, complete = (self._root_cells if families.by == "root" else self._stem_cells)(families, atoms, limit)
        cells = [cell for key in keys if (cell := self.cell(families, atoms, key)) is not None]
        return Paradigm(base, families.by, tuple(cells), self.signature, complete)

    def _searched(self, by: By | None) -> list[Families]:
        return [self.roots, self.stems] if by is None else [self.families(by)]

    def _unknown(self, base: str, by: By | None) -> InputError:
        what = by or "stem or root"
        known = {"".join(known): None for families in self._searched(by) for known in families.members}
        near = get_close_matches(base, known, 3, 0.6)
        stem = next(("".join(word.best.stem) for word in self.words if word.word == base), None)
        hint = f"the word {base} has the stem {stem}" if stem else f"near it: {', '.join(near)}" if near else ""
        return InputError(f"no word of the list has the {what} {base!r}" + (f"; {hint}" if hint else ""))

    def _stem_cells(self, families: Families, base: Base, limit: int) -> tuple[list[Key], bool]:
        attested = list(dict.fromkeys(member.key for member in families.members[base]))
        others = [key for key in families.widespread if key not in attested]
        ranked = sorted(others[: 20 * limit + 100], key=lambda key: -families.share_alike(base, key))[:limit]
        order = {key: i for i, key in enumerate(families.widespread)}
        return sorted([*attested, *ranked], key=lambda key: order[key]), len(ranked) == len(others)

    def _root_cells(self, families: Families, base: Base, limit: int) -> tuple[list[Key], bool]:
        own = families.members[base]
        attested = {member.key for member in own}
        templates = [t for t, a in families.widespread if not a and families.templates[t].radicals == len(base)]
        first = [t for t in templates if (t, "") in families.cells_of(own)]
        rows = (first + [t for t in templates if t not in first])[: max(_ROWS, len(first))]
        mine = [a for a in families.common_affixes if any(a == key[1] for key in attested)]
        columns = (mine + [a for a in families.common_affixes if a not in mine])[: max(_COLUMNS, len(mine))]
        gaps = [(t, a) for t in rows for a in columns if (t, a) not in attested]
        ranked = set(sorted(gaps, key=lambda key: -families.share_alike(base, key))[:limit])
        return [(t, a) for t in rows for a in columns if (t, a) in ranked | attested], False

    # Many.

    def paradigms(self, by: By | None, limit: int, cells: int) -> Paradigms:
        """The `limit` stems or roots with the most cells, side by side in the `cells` most widespread cells."""
        _check_limits(limit, cells)
        if limit * cells > _MOST_CELLS:
            raise SettingsError(
                f"{limit} rows of {cells} cells are more than the {_MOST_CELLS:,} of one table; ask for fewer"
            )
        families = self.families(by)
        wanted, bases = self._common_cells(families)
        wanted = wanted[:cells]
        ranked = sorted(bases, key=lambda base: self._fullness(families, base, wanted))[:limit]
        rows = []
        for base in ranked:
            row = [cell for key in wanted if (cell := self.cell(families, base, key)) is not None]
            rows.append(Paradigm("".join(base), families.by, tuple(row), self.signature, complete=False))
        columns = tuple(key[1] if families.by == "stem" else key[0] for key in wanted)
        return Paradigms(families.by, columns, tuple(rows), len(bases), self.signature)

    @staticmethod
    def _common_cells(families: Families) -> tuple[list[Key], list[Base]]:
        """Cells to lay out and the bases that fit into them: of roots, those with the most common number of radicals."""
        if families.by == "stem":
            return families.widespread, list(families.members)
        [(radicals, _)] = Counter(map(len, families.members)).most_common(1)
        fitting = (key for key in families.widespread if families.templates[key[0]].radicals == radicals)
        return [key for key in fitting if not key[1]], [base for base in families.members if len(base) == radicals]

    @staticmethod
    def _fullness(families: Families, base: Base, keys: Sequence[Key]) -> tuple[int, int, Base]:
        own = families.cells_of(families.members[base])
        return -len(own.intersection(keys)), -len(families.members[base]), base

    def cell(self, families: Families, base: Base, key: Key) -> ParadigmCell | None:
        """The cell of a base: its words, or the form that would fill it; None where the base does not fit into it."""
        template, affixes = key
        words = [m for m in families.members.get(base, ()) if m.key == key or (not affixes and m.key[0] == template)]
        form = _shortest(words) if words else self.form(families, base, template, affixes)
        if form is None:
            return None
        return ParadigmCell(
            template,
            affixes,
            form,
            tuple(m.word for m in words),
            self.log_probability(form),
            families.share(key),
            families.share_alike(base, key),
        )

    @staticmethod
    def form(families: Families, base: Base, template: str, affixes: str) -> str | None:
        """The word that a base would be in a cell; without affixes named, the bare stem."""
        stem: Sequence[str] = base
        if template:
            laced = families.templates[template].filled(base)
            if laced is None:
                return None
            stem = laced
        frame: Frame = families.affixes.get(affixes or REST, BARE)
        return frame.fill(stem)


def _shortest(members: Sequence[Member]) -> str:
    return min((member.word for member in members), key=lambda word: (len(word), word))


def _check_limits(*limits: int) -> None:
    if any(limit < 1 for limit in limits):
        raise SettingsError(f"tables have one row and cell or more, not {min(limits)}")
