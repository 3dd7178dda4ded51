"""Responses in the OpenAPI document: the success envelope, and every error code by status."""

import inspect
from collections import defaultdict
from collections.abc import Iterable, Sequence

from chatapi.core.errors import (
    ApiError,
    BadRequestError,
    InternalError,
    MethodNotAllowedError,
    NotFoundError,
    RateLimitedError,
    RequestTooLargeError,
    UnavailableError,
)
from chatapi.http.idempotency import AnswerNotKeptError, IdempotencyKeyReusedError
from chatapi.http.middleware import CrossSiteRequestError
from chatapi.http.openapi._schemas import Schema, SchemaBook
from chatapi.http.route import ChatRoute

UNROUTED_ERRORS: Sequence[type[ApiError]] = (NotFoundError, MethodNotAllowedError)
_EVENT_STREAM: Schema = {
    "schema": {
        "type": "string",
        "description": "Server-sent events: the `id` and, as `data`, the JSON of each event.",
        "examples": ['id: 1\ndata: {"type":"heartbeat","id":1}\n\n'],
    }
}


def errors_of(route: ChatRoute) -> Sequence[type[ApiError]]:
    """The errors an endpoint declares, those of its guard, and those every request can get."""
    operation = route.operation
    everywhere: list[type[ApiError]] = [
        BadRequestError,
        RequestTooLargeError,
        InternalError,
        UnavailableError,
    ]
    if route.is_limited:
        everywhere.append(RateLimitedError)
    if operation.path_types:
        everywhere.append(NotFoundError)
    if route.method != "GET":
        everywhere.append(CrossSiteRequestError)
    is_kept = route.method == "POST" and route.stores_responses
    if is_kept and operation.guard.credentials == "required":
        everywhere += [IdempotencyKeyReusedError, AnswerNotKeptError]
    declared = [*everywhere, *operation.guard.errors(), *operation.errors]
    return sorted(dict.fromkeys(declared), key=lambda error: error.status)


def describe_unrouted_responses(book: SchemaBook) -> dict[str, Schema]:
    """Describe the errors of requests that reach no endpoint."""
    return {
        error.__name__.removesuffix("Error"): _describe_errors([error], book)
        for error in UNROUTED_ERRORS
    }


def describe_responses(route: ChatRoute, book: SchemaBook) -> dict[str, Schema]:
    success = {"application/json": {"schema": book.success(route)}}
    if route.operation.streams:
        success["text/event-stream"] = _EVENT_STREAM
    answers: dict[str, Schema] = {"200": {"description": "Success", "content": success}}
    by_status: defaultdict[int, list[type[ApiError]]] = defaultdict(list)
    for error in errors_of(route):
        by_status[error.status].append(error)
    for status, errors in by_status.items():
        answers[str(status)] = _describe_errors(errors, book)
    return answers


def _describe_errors(errors: Sequence[type[ApiError]], book: SchemaBook) -> Schema:
    schemas = [book.error(error) for error in errors]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {
        "description": _list_errors(errors),
        "content": {"application/json": {"schema": schema}},
    }


def _list_errors(errors: Iterable[type[ApiError]]) -> str:
    lines = [f"`{error.code}`: {inspect.cleandoc(error.__doc__ or '')}" for error in errors]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
