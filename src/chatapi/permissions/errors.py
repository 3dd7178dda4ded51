"""Errors of changing a permission."""

from dataclasses import Field, dataclass
from typing import Any

from typing_extensions import override

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ExpectationMismatchError(ApiError):
    """The setting no longer has the value that the client sent as `old`."""

    code = "EXPECTATION_MISMATCH"
    text = "can_manage_group was changed in the meantime: 'old' is not its current value"
    setting: str

    @property
    @override
    def msg(self) -> str:
        return f"{self.setting} was changed in the meantime: 'old' is not its current value"

    @classmethod
    @override
    def extra_fields(cls) -> tuple[Field[Any], ...]:
        return ()
