"""What is written below the fields of a class.

Pydantic can read it too, but when the class is made, which every start of a process would pay.
"""

import ast
import inspect
import textwrap
from itertools import pairwise


def attribute_docstrings(cls: type, base: type) -> dict[str, str]:
    """The remark on each field, those on fields of its parents below `base` included."""
    found: dict[str, str] = {}
    for parent in reversed(cls.__mro__):
        if issubclass(parent, base) and parent is not base:
            found.update(_own_docstrings(parent))
    return found


def _own_docstrings(cls: type) -> dict[str, str]:
    try:
        source = inspect.getsource(cls)
    except OSError:
        # Made at run time, from fields that describe themselves.
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
