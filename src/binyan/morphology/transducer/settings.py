"""What of a learnt morphology becomes a transducer, and how large that may be."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.settings import Settings, setting

STATES = "average", "best"
STEMS = "seen", "combined", "all"


@dataclass(frozen=True)
class TransducerSettings(Settings):
    """How a transducer is made.

    `states`: "average" is the union of all kept states of the grammar, each with an equal share, as the model itself averages;
    "best" the one that gives the training words the highest probability. `stems` matters where stems are laced together of roots
    and templates: "seen" are the stems of the caches, "combined" also every known root with every known template, "all" also roots
    and templates that were never seen. Other grammars are exact in any case.
    """

    states: str = setting("average", "Kept states of the grammar: average (the union of all) or best.")
    stems: str = setting(
        "seen", "Stems of roots and templates: seen, combined (known roots with known templates) or all (exact)."
    )
    max_states: int = setting(1_000_000, "Refuse a transducer with more states than this.", metavar="N")

    def __post_init__(self) -> None:
        if self.states not in STATES:
            raise SettingsError(f"a transducer is of the kept states 'average' or 'best', not {self.states!r}")
        if self.stems not in STEMS:
            raise SettingsError(f"stems are 'seen', 'combined' or 'all', not {self.stems!r}")
        if self.max_states < 1:
            raise SettingsError(f"a transducer has at least one state, not {self.max_states}")
