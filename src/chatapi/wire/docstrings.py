"""Docstrings of the fields of a class.

Pydantic can read them too, but when the class is created, which would slow every process start, and
not those of the parents of a TypedDict.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from typing_extensions import get_original_bases, is_typeddict


def attribute_docstrings(cls: type, base: type = object) -> dict[str, str]:
    """Returns the docstring of each field, including fields of parents below `base`."""
    parents = _typed_dicts(cls) if is_typeddict(cls) else reversed(cls.__mro__)
    found: dict[str, str] = {}
    for parent in parents:
        if issubclass(parent, base) and parent is not base:
            found.update(_docstrings_in(parent.__module__).get(parent.__qualname__, {}))
    return found


def _typed_dicts(cls: type) -> Iterator[type]:
    """A TypedDict after its parents, of which its `__mro__` knows nothing."""
    for parent in get_original_bases(cls):
        if is_typeddict(parent):
            yield from _typed_dicts(parent)
    yield cls


@cache
def _docstrings_in(module: str) -> dict[str, dict[str, str]]:
    """The docstrings of the fields of all classes of a module, which is parsed only once.

    Classes created at run time are in no source; their fields have descriptions of their own.
    """
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return {}
    return {name: _own_docstrings(node) for name, node in _classes(ast.parse(source), "")}


def _classes(parent: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from _classes(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(node, f"{prefix}{node.name}.<locals>.")


def _own_docstrings(definition: ast.ClassDef) -> dict[str, str]:
    return {
        field.target.id: inspect.cleandoc(remark.value.value)
        for field, remark in pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(remark, ast.Expr)
        and isinstance(remark.value, ast.Constant)
        and isinstance(remark.value.value, str)
    }
