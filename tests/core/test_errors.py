"""The error tree: each refusal is an envelope with its code, sentence and extra keys."""

from dataclasses import dataclass

import orjson
import pytest

from chatapi.core import errors
from chatapi.core.errors import ApiError, BadRequestError, MethodNotAllowedError, RateLimitedError
from chatapi.core.ids import QueueId
from chatapi.main import FEATURES


@dataclass(eq=False)
class SampleError(ApiError):
    """One with keys of its own."""

    code = "SAMPLE"
    status = 418
    text = "{name} has {count} of them"
    name: str
    count: int


class TestEnvelope:
    def test_holds_the_extra_keys(self) -> None:
        assert SampleError("Ana", 3).envelope() == {
            "result": "error",
            "msg": "Ana has 3 of them",
            "code": "SAMPLE",
            "name": "Ana",
            "count": 3,
        }

    def test_values_are_not_templates(self) -> None:
        assert SampleError("{count}", 3).msg == "{count} has 3 of them"

    def test_a_bad_request_says_what_is_wrong(self) -> None:
        assert BadRequestError("name is {odd}").envelope() == {
            "result": "error",
            "msg": "name is {odd}",
            "code": "BAD_REQUEST",
        }

    def test_bad_queue_error_contains_the_queue_id(self) -> None:
        envelope = errors.BadEventQueueIdError(QueueId("x")).envelope()
        assert envelope["queue_id"] == "x"
        assert envelope["msg"] == "Bad event queue ID: x"

    @pytest.mark.parametrize(
        ("error", "headers"),
        [
            (MethodNotAllowedError(["GET", "POST"]), {"Allow": "GET, POST"}),
            (RateLimitedError(2.6), {"Retry-After": "3"}),
            (RateLimitedError(0.01), {"Retry-After": "1"}),
            (errors.UnavailableError(), {"Retry-After": "1"}),
            (BadRequestError("x"), {}),
        ],
        ids=repr,
    )
    def test_headers(self, error: ApiError, headers: dict[str, str]) -> None:
        assert error.headers() == headers


def all_kinds(kind: type[ApiError]) -> list[type[ApiError]]:
    """Every error below one; those of features are there because these are imported."""
    assert FEATURES
    return [kind, *(found for child in kind.__subclasses__() for found in all_kinds(child))]


class TestTree:
    @pytest.mark.parametrize("kind", ApiError.__subclasses__(), ids=lambda kind: kind.__name__)
    def test_each_kind_is_described(self, kind: type[ApiError]) -> None:
        assert kind.__doc__
        assert kind.code == kind.code.upper()
        assert 400 <= kind.status < 600

    @pytest.mark.parametrize("kind", all_kinds(ApiError), ids=lambda kind: kind.__name__)
    def test_a_bad_request_is_400_without_further_keys(self, kind: type[ApiError]) -> None:
        if kind.code == "BAD_REQUEST":
            assert kind.status == 400
            assert kind.extra_fields() == ()

    def test_rate_limit_error_follows_the_protocol(self) -> None:
        envelope = orjson.loads(orjson.dumps(RateLimitedError(1.5).envelope()))
        assert envelope["retry-after"] == 1.5
