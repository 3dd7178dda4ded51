"""Narrows that cannot be understood."""

from chatapi.core.errors import BadRequestError


class BadNarrowError(BadRequestError):
    """A term of the narrow has an operator or an operand that nobody knows."""

    def __init__(self, desc: str) -> None:
        super().__init__(f"Invalid narrow operator: {desc}")
