"""Conditions that the databases want written in different ways."""

from typing import Self

from sqlalchemy import Boolean
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType
from typing_extensions import override


class Condition(FunctionElement[bool]):
    """What a condition is about; how it is written is said for each database with `compiles`."""

    type = Boolean()
    inherit_cache = True

    @override
    def self_group(self, against: OperatorType | None = None) -> Self:
        # It is a condition: compared with a truth value, no index would lead to it.
        return self
