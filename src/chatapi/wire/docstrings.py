"""Descriptions of fields: the docstrings below them.

Pydantic can read them too, but when the class is created, which would slow every process start, and
not those of the parents of a TypedDict. Here they are read when the documentation is generated.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, NotRequired, Required, get_args, get_origin, get_type_hints

from msgspec import Struct
from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import get_original_bases, is_typeddict


def attribute_docstrings(cls: type, base: type = object) -> dict[str, str]:
    """Returns the docstring of each field, including fields of parents below `base`."""
    parents = _typed_dicts(cls) if is_typeddict(cls) else reversed(cls.__mro__)
    found: dict[str, str] = {}
    for parent in parents:
        if issubclass(parent, base) and parent is not base:
            found.update(_docstrings_in(parent.__module__).get(parent.__qualname__, {}))
    return found


def described_hints(cls: type) -> Mapping[str, Any]:
    """Returns the type of each field with its description, without `Required` or `NotRequired`.

    Use it where a class is made from the fields of others, since docstrings stay where they are.
    """
    hints = get_type_hints(cls, include_extras=True)
    return {name: Annotated[_bare(hint), SameAs(cls, name)] for name, hint in hints.items()}


def _bare(hint: Any) -> Any:  # noqa: ANN401 (a type)
    return get_args(hint)[0] if get_origin(hint) in {Required, NotRequired} else hint


class SameAs(Struct, frozen=True):
    """Describes a value like a field of a class: `Annotated[bool, SameAs(Settings, "name")]`.

    Servers make such types as well, and do not read the source for it.
    """

    model: type
    """A model or a TypedDict."""
    field: str

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        base = dict if is_typeddict(self.model) else BaseModel
        remark = attribute_docstrings(self.model, base).get(self.field)
        return described if remark is None else {**described, "description": remark}


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
        field.target.id: _in_one_line(remark.value.value)
        for field, remark in pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(remark, ast.Expr)
        and isinstance(remark.value, ast.Constant)
        and isinstance(remark.value.value, str)
    }


def _in_one_line(text: str) -> str:
    """A description without the breaks that the width of the source causes."""
    return " ".join(text.split())
