"""Docstrings of the fields of a class.

Pydantic can read them too, but when the class is created, which would slow every process start.
"""

import ast
import inspect
import textwrap
from itertools import pairwise


def attribute_docstrings(cls: type, base: type) -> dict[str, str]:
    """Returns the docstring of each field, including fields of parents below `base`."""
    found: dict[str, str] = {}
    for parent in reversed(cls.__mro__):
        if issubclass(parent, base) and parent is not base:
            found.update(_own_docstrings(parent))
    return found


def _own_docstrings(cls: type) -> dict[str, str]:
    try:
        source = inspect.getsource(cls)
    except OSError:
        # Created at run time, from fields with their own descriptions.
        return {}
    (definition,) = ast.parse(textwrap.dedent(source)).body
    statements = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(remark.value.value)
        for field, remark in pairwise(statements)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(remark, ast.Expr)
        and isinstance(remark.value, ast.Constant)
        and isinstance(remark.value.value, str)
    }
