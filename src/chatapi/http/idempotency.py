"""The Idempotency-Key header: a POST that is repeated under the same name is carried out once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

from chatapi.core.errors import ApiError, BadRequestError
from chatapi.db.given_answers import GivenAnswers, Request
from chatapi.http.call import Call
from chatapi.http.encoding import encode_in_steps
from chatapi.http.operation import Admitted

_HEADER = b"idempotency-key"
_LONGEST_KEY = 200
MOST_KEPT_BYTES = 64 * 1024
"""Of one answer; they are kept for a day, and a client chooses how many there are."""
_NOT_KEPT = "null"


@dataclass(eq=False)
class IdempotencyKeyReusedError(ApiError):
    """The same key came with another request before: one of the two is a mistake."""

    code: ClassVar[str] = "IDEMPOTENCY_KEY_REUSED"
    text: ClassVar[str] = "Idempotency-Key was used for a different request before"


@dataclass(eq=False)
class AnswerNotKeptError(ApiError):
    """The request was carried out before; its answer showed a secret, or was too large to keep."""

    code: ClassVar[str] = "IDEMPOTENCY_ANSWER_NOT_KEPT"
    status: ClassVar[int] = 409
    text: ClassVar[str] = (
        "The request with this Idempotency-Key was carried out before; its answer holds a secret"
        " or is large, and is not kept"
    )


async def find_given_answer(
    call: Call, admitted: Admitted, values: Mapping[str, str]
) -> dict[str, Any] | None:
    """The answer the same request was given before; else its unit of work knows its name."""
    if call.method != "POST" or admitted.caller_id is None or not call.header(_HEADER):
        return None
    key = call.header(_HEADER)
    if len(key) > _LONGEST_KEY:
        raise BadRequestError(f"Idempotency-Key is too long (limit: {_LONGEST_KEY} characters)")
    content = [part for name in sorted(values) for part in (name, values[name])]
    request = Request.named(admitted.caller_id, ("header", key), (call.path, *content))
    given = await GivenAnswers(admitted.work.db).find(request)
    if given is None:
        admitted.work.name_request(request)
        return None
    if given.digest != request.digest:
        raise IdempotencyKeyReusedError
    answer: dict[str, Any] | None = orjson.loads(given.answer)
    if answer is None:
        raise AnswerNotKeptError
    return answer


async def keep_answer(admitted: Admitted, payload: Mapping[str, object] | None) -> None:
    """Keep the answer of a request that has a name, in the transaction it tells about.

    Of an answer with a secret, given as None, and of a large one, only is kept that there was one.
    """
    answer = _NOT_KEPT
    if payload is not None:
        chunks = await encode_in_steps(payload)
        if sum(map(len, chunks)) <= MOST_KEPT_BYTES:
            answer = b"".join(chunks).decode()
    await admitted.work.keep_answer(answer)
