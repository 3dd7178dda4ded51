"""Errors of invalid narrows."""

from chatapi.core.errors import BadRequestError


class BadNarrowError(BadRequestError):
    """A term of the narrow has an unknown operator or operand."""

    def __init__(self, desc: str) -> None:
        super().__init__(f"Invalid narrow operator: {desc}")
