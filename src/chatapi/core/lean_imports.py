"""Imports libraries without what they load by themselves, and a server does not use."""

import os
import sys
from collections.abc import Collection
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec
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


def build_models_later() -> None:
    """Let pydantic build a model when it is first used, also those of libraries.

    Does not search all installed packages for plugins of pydantic either: there are none.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Only now: the variable is read when pydantic is imported.
    from pydantic import BaseModel  # noqa: PLC0415

    BaseModel.model_config["defer_build"] = True


def defer_package(package: str, needing_init: Collection[str] = (), /, **modules: str) -> None:
    """Let modules of a package be imported without what its `__init__` imports.

    `__init__` runs when something is first imported from the package itself, except for names that
    are passed with the module of the package that has them, and for modules that do not need it.
    For packages whose modules a server uses a few of. Does nothing if the package is loaded
    already.
    """
    if package in sys.modules:
        return
    spec = find_spec(package)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    deferred = module_from_spec(spec)
    run_init = partial(spec.loader.exec_module, deferred)

    def load(name: str) -> object:
        if name in modules:
            return getattr(import_module(f"{package}.{modules[name]}"), name)
        # Also asked for modules of the package that are not imported yet.
        if name not in needing_init and find_spec(f"{package}.{name}") is not None:
            return import_module(f"{package}.{name}")
        deferred.__dict__.pop("__getattr__", None)
        run_init()
        return getattr(deferred, name)

    deferred.__dict__["__getattr__"] = load
    sys.modules[package] = deferred
    parent, _, name = package.rpartition(".")
    if parent:
        setattr(sys.modules[parent], name, deferred)
