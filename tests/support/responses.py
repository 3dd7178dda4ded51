"""Responses of the service, and assertions about success and errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ApiResponse:
    """Status, envelope and headers of one response."""

    status: int
    body: dict[str, Any]
    headers: Mapping[str, str]

    def __getitem__(self, key: str) -> Any:
        return self.body[key]


def assert_success(response: ApiResponse) -> dict[str, Any]:
    """Assert success, and return the payload without the envelope."""
    assert response.status == 200, response.body
    assert response["result"] == "success"
    assert response["msg"] == ""
    return {key: value for key, value in response.body.items() if key not in {"result", "msg"}}


def assert_error(
    response: ApiResponse, code: str = "BAD_REQUEST", status: int = 400, **extra: object
) -> str:
    """Assert an error with exactly these extra keys, and return its message."""
    assert response.body.get("code") == code, response.body
    assert response.status == status
    assert response["result"] == "error"
    message = response["msg"]
    assert isinstance(message, str)
    assert message
    rest = {key: value for key, value in response.body.items() if key not in _ENVELOPE}
    if extra:
        assert rest == extra
    return message


_ENVELOPE = {"result", "msg", "code"}
