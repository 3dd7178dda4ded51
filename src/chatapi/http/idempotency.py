"""The Idempotency-Key header: a POST repeated with the same key is carried out once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

from chatapi.core.errors import ApiError, BadRequestError
from chatapi.db.idempotency_store import IdempotencyKey, IdempotencyStore
from chatapi.http.operation import RequestContext
from chatapi.http.request import ApiRequest
from chatapi.http.responses import encode_in_steps

_HEADER = b"idempotency-key"
MAX_KEY_LENGTH = 200
MAX_KEPT_BYTES = 64 * 1024
"""Maximum size of a stored response; a client chooses how many there are, kept for a day each."""
_NOT_KEPT = "null"


@dataclass(eq=False)
class IdempotencyKeyReusedError(ApiError):
    """The same key was sent with a different request before: one of the two is a mistake."""

    code: ClassVar[str] = "IDEMPOTENCY_KEY_REUSED"
    text: ClassVar[str] = "Idempotency-Key was used for a different request before"


@dataclass(eq=False)
class AnswerNotKeptError(ApiError):
    """The request was carried out before; its response held a secret, or was too large to store."""

    code: ClassVar[str] = "IDEMPOTENCY_ANSWER_NOT_KEPT"
    status: ClassVar[int] = 409
    text: ClassVar[str] = (
        "The request with this Idempotency-Key was carried out before; its answer holds a secret"
        " or is large, and is not kept"
    )


async def find_stored_response(
    request: ApiRequest, context: RequestContext, fingerprint: Callable[[], Mapping[str, str]]
) -> dict[str, Any] | None:
    """Returns the stored response of the same request; else sets the key on its unit of work.

    `fingerprint` returns what distinguishes this request from another one.
    """
    if request.method != "POST" or context.caller_id is None or not request.header(_HEADER):
        return None
    key = request.header(_HEADER)
    if len(key) > MAX_KEY_LENGTH:
        raise BadRequestError(f"Idempotency-Key is too long (limit: {MAX_KEY_LENGTH} characters)")
    values = fingerprint()
    content = [part for name in sorted(values) for part in (name, values[name])]
    idempotency_key = IdempotencyKey.for_request(
        context.caller_id, ("header", key), (request.path, *content)
    )
    stored = await IdempotencyStore(context.work.db).find(idempotency_key)
    if stored is None:
        context.work.set_idempotency_key(idempotency_key)
        return None
    if stored.digest != idempotency_key.digest:
        raise IdempotencyKeyReusedError
    response: dict[str, Any] | None = orjson.loads(stored.response)
    if response is None:
        raise AnswerNotKeptError
    return response


async def store_response(context: RequestContext, payload: Mapping[str, object] | None) -> None:
    """Store the response of a request with an idempotency key, in the request's transaction.

    A response with a secret (passed as None) or a large one is not stored, only that there was one.
    """
    response = _NOT_KEPT
    if payload is not None:
        chunks = await encode_in_steps(payload)
        if sum(map(len, chunks)) <= MAX_KEPT_BYTES:
            response = b"".join(chunks).decode()
    await context.work.store_response(response)
