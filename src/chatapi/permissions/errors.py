"""What can go wrong when a permission is changed."""

from dataclasses import dataclass

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ExpectationMismatchError(ApiError):
    """The setting no longer has the value the client believed it had."""

    code = "EXPECTATION_MISMATCH"
    text = "'old' value does not match the expected value."
