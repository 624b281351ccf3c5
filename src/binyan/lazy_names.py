"""Names of a package that are imported when they are first used, so that importing the package costs nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    namespace: dict[str, Any], modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of the package with these globals; `modules`: each name with the module that has it or is it.

    >>> module_getattr, module_dir = lazy_names({"__name__": "codes"}, {"floor": "math"})
    >>> module_getattr("floor")(2.5), module_dir()
    (2, ['__name__', 'floor'])
    """

    def module_getattr(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        module = importlib.import_module(modules[name])
        value = module if modules[name] == f"{namespace['__name__']}.{name}" else getattr(module, name)
        namespace[name] = value
        return value

    def module_dir() -> list[str]:
        return sorted({*namespace, *modules})

    return module_getattr, module_dir
