"""The Idempotency-Key header: a POST that is repeated under the same name is carried out once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

from chatapi.core.errors import ApiError, BadRequestError
from chatapi.db.given_answers import GivenAnswers, Request
from chatapi.http.call import Call
from chatapi.http.operation import Admitted

_HEADER = b"idempotency-key"
_LONGEST_KEY = 200


@dataclass(eq=False)
class IdempotencyKeyReusedError(ApiError):
    """The same key came with another request before: one of the two is a mistake."""

    code: ClassVar[str] = "IDEMPOTENCY_KEY_REUSED"
    text: ClassVar[str] = "Idempotency-Key was used for a different request before"


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
    answer: dict[str, Any] = orjson.loads(given.answer)
    return answer


async def keep_answer(admitted: Admitted, payload: Mapping[str, object] | None) -> None:
    """Keep the answer of a request that has a name, in the transaction it tells about."""
    if admitted.work.has_named_request:
        answer = orjson.dumps(payload or {}, option=orjson.OPT_NON_STR_KEYS)
        await admitted.work.keep_answer(answer.decode())
