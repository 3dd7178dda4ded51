"""What came back from the service, and the two questions every test asks about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """Status, envelope and headers of one answer."""

    status: int
    body: dict[str, Any]
    headers: Mapping[str, str]

    def __getitem__(self, key: str) -> Any:
        return self.body[key]


def assert_success(answer: Answer) -> dict[str, Any]:
    """The payload of a success, without the envelope."""
    assert answer.status == 200, answer.body
    assert answer["result"] == "success"
    assert answer["msg"] == ""
    return {key: value for key, value in answer.body.items() if key not in {"result", "msg"}}


def assert_error(
    answer: Answer, code: str = "BAD_REQUEST", status: int = 400, **extra: object
) -> str:
    """The sentence of a refusal, whose envelope holds the extra keys and nothing else."""
    assert answer.body.get("code") == code, answer.body
    assert answer.status == status
    assert answer["result"] == "error"
    message = answer["msg"]
    assert isinstance(message, str)
    assert message
    rest = {key: value for key, value in answer.body.items() if key not in _ENVELOPE}
    if extra:
        assert rest == extra
    return message


_ENVELOPE = {"result", "msg", "code"}
