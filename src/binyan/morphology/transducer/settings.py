"""What of a learnt morphology becomes a transducer, and how large that may be."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.settings import Settings, setting

STATES = "average", "best"
STEMS = "seen", "combined", "all"
NEW = "all", "stems", "none"


@dataclass(frozen=True)
class TransducerSettings(Settings):
    """How a transducer is made.

    `states`: "average" is the union of all kept states of the grammar, each with an equal share, as the model itself averages;
    "best" the one that gives the training words the highest probability. `stems` matters where stems are laced together of roots
    and templates: "seen" are the stems of the caches, "combined" also every known root with every known template, "all" also roots
    and templates that were never seen; other grammars have no such stems. `new` says which morphemes may be new, spelt letter by letter:
    "all", as in the model; "stems" only; or "none". With new morphemes everywhere a long word has millions of analyses: Binyan
    sums over them, while programs that list all of them take long.
    """

    states: str = setting("average", "Which kept states of the grammar to use: average (the union of all) or best.")
    stems: str = setting(
        "seen", "Stems made of roots and templates: seen, combined (known roots with known templates) or all (exact)."
    )
    new: str = setting("all", "Morphemes that may be new: all (as in the model), stems or none.")
    max_states: int = setting(1_000_000, "Refuse a transducer with more states than this.", metavar="N")

    def __post_init__(self) -> None:
        if self.states not in STATES:
            raise SettingsError(f"a transducer is of the kept states 'average' or 'best', not {self.states!r}")
        if self.stems not in STEMS:
            raise SettingsError(f"stems are 'seen', 'combined' or 'all', not {self.stems!r}")
        if self.new not in NEW:
            raise SettingsError(f"new morphemes are 'all', 'stems' or 'none', not {self.new!r}")
        if self.max_states < 1:
            raise SettingsError(f"a transducer has at least one state, not {self.max_states}")
