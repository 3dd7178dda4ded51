"""Imports libraries without the extras that they load by themselves if they are installed."""

import sys
from importlib import import_module
from types import ModuleType


def import_without(library: str, *extras: str) -> ModuleType:
    """Import a library as if some modules were not installed; they can be imported later.

    For libraries with an optional use of a large module that a server has no need of. Does nothing
    special if the library is loaded already.
    """
    hidden = [extra for extra in extras if extra not in sys.modules]
    # None is what Python itself documents for a module that must not be found.
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        return import_module(library)
    finally:
        for extra in hidden:
            del sys.modules[extra]
