"""Rules of the kinds of stems that grammars are composed of, beside a stem that is a plain string."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

Stem = Literal["plain", "root", "root-vocalised", "infix", "circumfix", "compound"]

_ROOT = """
@Stem -> R3(*) | R3(*) T1(*) | R3(*) T2(*) | R3(*) T3(*) | R3(*) T4(*)
@Stem -> R4(*) | R4(*) T1(*) | R4(*) T2(*) | R4(*) T3(*)
@R3(a,b,c)   -> _RootLetter(a) _RootLetter(b) _RootLetter(c)
@R4(a,b,c,d) -> _RootLetter(a) _RootLetter(b) _RootLetter(c) _RootLetter(d)
@T1          -> _TemplateLetter
@T2(a,b)     -> _TemplateLetter(a) _TemplateLetter(b)
@T3(a,b,c)   -> _TemplateLetter(a) _TemplateLetter(b) _TemplateLetter(c)
@T4(a,b,c,d) -> _TemplateLetter(a) _TemplateLetter(b) _TemplateLetter(c) _TemplateLetter(d)
_RootLetter | _TemplateLetter -> <any> [w=0.1]
role root R3 R4
role template T1 T2 T3 T4
"""

_ROOT_VOCALISED = """
@Stem(bcdef)     -> R3(b,d,f) T2(c,e)
@Stem(abcdef)    -> R3(b,d,f) Ti3(a,c,e)
@Stem(bcdefg)    -> R3(b,d,f) Tf3(c,e,g)
@Stem(abcdefg)   -> R3(b,d,f) Tif4(a,c,e,g)
@Stem(bcdefgh)   -> R4(b,d,f,h) T3(c,e,g)
@Stem(abcdefgh)  -> R4(b,d,f,h) Ti4(a,c,e,g)
@Stem(bcdefghi)  -> R4(b,d,f,h) Tf4(c,e,g,i)
@R3(a,b,c)   -> _RootLetter(a) _RootLetter(b) _RootLetter(c)
@R4(a,b,c,d) -> _RootLetter(a) _RootLetter(b) _RootLetter(c) _RootLetter(d)
@T2(a,b) -> _Slot(a) _Slot(b)
@T3(a,b,c) | @Ti3(a,b,c) | @Tf3(a,b,c) -> _Slot(a) _Slot(b) _Slot(c)
@Tif4(a,b,c,d) | @Ti4(a,b,c,d) | @Tf4(a,b,c,d) -> _Slot(a) _Slot(b) _Slot(c) _Slot(d)
_Slot -> _TemplateLetter | _TemplateLetter _TemplateLetter | _TemplateLetter _TemplateLetter _TemplateLetter
_RootLetter | _TemplateLetter -> <any> [w=0.1]
role root R3 R4
role template T2 T3 Ti3 Tf3 Tif4 Ti4 Tf4
"""

_INFIX = """
_Body(ab)    -> Stem(a,b)
_Body(abc)   -> Stem(a,c) Inf(b)
_Body(abcd)  -> Red(a,b) Stem(c,d)
_Body(abcde) -> Red(a,c) Inf(b) Stem(d,e)
@Stem(a,b) -> _First(a) _String(b)
@Red(a,b)  -> _RedLetter(a) _RedLetter(b)
@Inf       -> _InfLetter _InfLetter
_First | _RedLetter | _InfLetter -> <any> [w=0.1]
role infix Inf
role reduplicant Red
"""

_CIRCUMFIX = """
Word(abc) -> Circ(a,c) Stem(b)
@Circ(a,b) -> _String(a) _String(b)
role circumfix Circ
"""


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().splitlines())


STEM_RULES: Mapping[str, Sequence[str]] = {
    "plain": (),
    "root": _lines(_ROOT),
    "root-vocalised": _lines(_ROOT_VOCALISED),
    "infix": _lines(_INFIX),
    "circumfix": _lines(_CIRCUMFIX),
    "compound": (),
}
"""What each kind of stem adds to the rules of affixes and strings."""
