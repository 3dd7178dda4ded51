"""Conditions that are written differently for each database."""

from typing import Self

from sqlalchemy import Boolean
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType
from typing_extensions import override


class Condition(FunctionElement[bool]):
    """The operands of a condition; `compiles` functions write the SQL for each database."""

    type = Boolean()
    inherit_cache = True

    @override
    def self_group(self, against: OperatorType | None = None) -> Self:
        # It is a condition already: compared with a truth value, it could not use an index.
        return self
