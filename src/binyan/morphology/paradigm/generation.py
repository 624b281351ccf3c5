"""Words made from a stem or root, affixes and templates, with their probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, overload

from binyan.errors import MissingExtra, SettingsError
from binyan.morphology.paradigm.builder import ParadigmBuilder
from binyan.morphology.paradigm.families import Key
from binyan.morphology.paradigm.frame import BARE, Frame, parse_affixes, parse_template
from binyan.morphology.paradigm.grid import aligned
from binyan.morphology.paradigm.reading import Reading

_MOST_CANDIDATES = 2_000
ALL = "all"
"""For `affixes`: every frame of affixes of the list."""


@dataclass(frozen=True)
class GeneratedForm:
    """A word that was made: of what, how probable it is by the model, and whether it stands in the list.

    `share` is the share of stems (roots) seen with these affixes (in this template). `analysed_so` is the posterior probability that
    the word is built as it was made here, None for words drawn at random.
    """

    form: str
    stem: str
    root: str | None
    template: str | None
    affixes: str
    log_probability: float
    seen: bool
    share: float
    analysed_so: float | None = None

    @property
    def probability(self) -> float:
        """P(form), like that of any word; 0 where the grammar cannot derive it."""
        return math.exp(self.log_probability)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "form": self.form,
            "probability": self.probability,
            "log_probability": self.log_probability,
            "seen": self.seen,
            "stem": self.stem,
            "root": self.root,
            "template": self.template,
            "affixes": self.affixes,
            "share": self.share,
            "analysed_so": self.analysed_so,
        }


@dataclass(frozen=True, repr=False)
class GeneratedForms(Sequence[GeneratedForm]):
    """Words that were made, the most probable first; drawn ones in the order of drawing. `left_out`: how many are not listed."""

    forms: tuple[GeneratedForm, ...]
    left_out: int
    signature: str

    @overload
    def __getitem__(self, place: int) -> GeneratedForm: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[GeneratedForm]: ...
    def __getitem__(self, place: int | slice) -> GeneratedForm | Sequence[GeneratedForm]:
        return self.forms[place]

    def __iter__(self) -> Iterator[GeneratedForm]:
        return iter(self.forms)

    def __len__(self) -> int:
        return len(self.forms)

    def __repr__(self) -> str:
        some = ", ".join(form.form for form in self.forms[:5])
        return f"<GeneratedForms: {len(self)}: {some}{' …' if len(self) > 5 else ''}>"

    def __str__(self) -> str:
        """One form per line: form, P(form), share, what it was made of, and whether it was seen."""
        rooted = any(f.root for f in self.forms)
        of = ["root", "template"] if rooted else ["stem"]
        lines = [["form", "P(form)", "share", *of, "affixes", "in the list"]]
        for f in self.forms:
            made_of = [f.root or f.stem, f.template or ""] if rooted else [f.stem]
            seen = "yes" if f.seen else "no"
            lines.append([f.form, f"{f.probability:.3g}", f"{f.share:.1%}", *made_of, f.affixes, seen])
        return aligned(lines)

    @property
    def warning(self) -> str:
        """How many forms are not listed, and which the grammar cannot derive, in a sentence; empty where there is nothing to say."""
        underivable = [form.form for form in self.forms if form.log_probability == -math.inf]
        said = [f"{self.left_out:,} more forms are not listed"] if self.left_out else []
        if underivable:
            said.append(f"the grammar cannot derive {', '.join(underivable[:5])}")
        return "; ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"forms": [f.to_dict() for f in self.forms], "left_out": self.left_out, "signature": self.signature}

    def to_pandas(self) -> Any:
        """One row per form, as a DataFrame."""
        if find_spec("pandas") is None:
            raise MissingExtra("forms as a DataFrame", "pandas")
        import pandas

        return pandas.DataFrame([form.to_dict() for form in self.forms])


@dataclass(frozen=True)
class _Stem:
    atoms: tuple[str, ...]
    root: str | None = None
    template: str | None = None


@dataclass(frozen=True)
class Generator:
    """Makes words of the parts of a morphology."""

    builder: ParadigmBuilder
    seen: Callable[[str], bool]
    readings: Callable[[str], Sequence[tuple[Reading, float]]]

    def make(
        self, root: str | None, template: str | None, stem: str | None, affixes: str | None, limit: int
    ) -> GeneratedForms:
        """The forms of what is given with all that is left open, the most probable `limit` of them."""
        if limit < 1:
            raise SettingsError(f"one form or more can be asked for, not {limit}")
        stems = self._stems(root, template, stem, affixes)
        frames = self._frames(affixes, everything=stem is not None)
        pairs = [(s, frame) for s in stems for frame in frames]
        made: dict[str, GeneratedForm] = {}
        for source, frame in pairs[:_MOST_CANDIDATES]:
            if (form := frame.fill(source.atoms)) is not None:
                made.setdefault(form, self._form(form, source, frame))
        if not made:
            raise SettingsError(f"the stem {stem!r} is too short for the affixes {affixes!r}")
        ranked = sorted(made.values(), key=lambda f: (-f.log_probability, f.form))
        chosen = tuple(replace(f, analysed_so=self._analysed_so(f)) for f in ranked[:limit])
        left_out = len(made) - len(chosen) + max(len(pairs) - _MOST_CANDIDATES, 0)
        return GeneratedForms(chosen, left_out, self.builder.signature)

    def _stems(self, root: str | None, template: str | None, stem: str | None, affixes: str | None) -> list[_Stem]:
        if stem is not None and (root is not None or template is not None):
            raise SettingsError("give a stem, or a root and a template, not both")
        if stem is not None:
            return [_Stem(tuple(self.builder.atoms(self._some(stem, "stem"))))]
        if root is None and template is None:
            if affixes is None:
                raise SettingsError(
                    "say what words to make: give a stem, a root, a template or affixes, or ask for random words"
                )
            ranked = sorted(self.builder.stems.members.items(), key=lambda item: -len(item[1]))
            return [_Stem(base) for base, _ in ranked]
        return self._laced(root, template)

    def _laced(self, root: str | None, template: str | None) -> list[_Stem]:
        families = self.builder.families("root")
        if root is not None:
            roots = [tuple(self.builder.atoms(self._some(root, "root")))]
        else:
            roots = sorted(families.members, key=lambda base: -len(families.members[base]))
        if template is not None:
            templates = [families.templates.get(template) or parse_template(template)]
        else:
            templates = [families.templates[t] for t, a in families.widespread if not a]
        laced = [
            _Stem(tuple(atoms), "".join(base), str(frame))
            for base in roots
            for frame in templates
            if (atoms := frame.filled(base)) is not None
        ]
        if not laced:
            places = (
                f"the template {template} has {templates[0].radicals}"
                if template
                else "no template has that number of radicals"
            )
            raise SettingsError(
                f"{len(roots[0])} radicals ({root}) do not fit: {places}" if root else f"no root fits: {places}"
            )
        return laced

    def _frames(self, affixes: str | None, everything: bool) -> list[Frame]:
        stems = self.builder.stems
        if affixes == ALL or (affixes is None and everything):
            return [stems.affixes[text] for text in stems.common_affixes]
        if affixes is None:
            return [BARE]
        return [stems.affixes.get(affixes) or stems.affixes.get(str(frame := parse_affixes(affixes))) or frame]

    def _form(self, form: str, source: _Stem, frame: Frame) -> GeneratedForm:
        families = self.builder.stems if source.root is None else self.builder.roots
        key: Key = ("", str(frame)) if source.root is None else (source.template or "", "")
        return GeneratedForm(
            form,
            "".join(source.atoms),
            source.root,
            source.template,
            str(frame),
            self.builder.log_probability(form),
            self.seen(form),
            families.share(key),
        )

    def drawn(self, form: str, reading: Reading) -> GeneratedForm:
        """A word that was drawn, built as it was drawn."""
        root = None if reading.root is None else "".join(reading.root)
        source = _Stem(reading.stem, root, None if reading.template is None else str(reading.template))
        return self._form(form, source, reading.affixes)

    def _analysed_so(self, f: GeneratedForm) -> float:
        return sum(
            probability
            for reading, probability in self.readings(f.form)
            if "".join(reading.stem) == f.stem
            and str(reading.affixes) == f.affixes
            and (f.root is None or (reading.root is not None and "".join(reading.root) == f.root))
        )

    @staticmethod
    def _some(text: str, what: str) -> str:
        if not text:
            raise SettingsError(f"the {what} is empty")
        return text
