"""Examples of docstrings (`>>>`) as code on the site."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object


class Examples(Extension):
    """Puts every run of lines from `>>>` to the next blank line into a fence."""

    def on_object(self, *, obj: Object, **more: Any) -> None:
        """Called for each documented thing."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """The text with its examples fenced."""
    return re.sub(r"(?m)^>>> .*(?:\n.+)*", lambda found: f"```pycon\n{found[0]}\n```", text)
