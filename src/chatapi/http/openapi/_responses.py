"""Responses in the OpenAPI document: the success envelope, and every error code by status."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from http import HTTPStatus

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
from chatapi.http.openapi._errors import list_errors
from chatapi.http.openapi._headers import (
    has_etag,
    headers_of_error,
    headers_of_success,
    headers_of_unrouted,
    takes_idempotency_key,
)
from chatapi.http.openapi._recorded import operation_examples
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
    if takes_idempotency_key(route):
        everywhere += [IdempotencyKeyReusedError, AnswerNotKeptError]
    declared = [*everywhere, *operation.guard.errors(), *operation.errors]
    return sorted(dict.fromkeys(declared), key=lambda error: error.status)


class ResponseWriter:
    """Describes responses; equal ones of errors are shared by all operations."""

    def __init__(self, book: SchemaBook) -> None:
        self._book = book
        self.shared: dict[str, Schema] = {}
        """By name: the responses that others refer to."""

    def unrouted(self) -> dict[str, Schema]:
        """Describe the responses for paths and methods that do not exist, by status.

        No operation refers to them, so they are no components.
        """
        return {
            str(error.status): {
                **_describe([error], self._book.resolve(self._book.error([error.code], ""))),
                "headers": headers_of_unrouted(error.status),
            }
            for error in UNROUTED_ERRORS
        }

    def responses(self, route: ChatRoute) -> dict[str, Schema]:
        """Describe all responses of an operation, by status."""
        success = {"application/json": self._success(route)}
        if route.operation.streams:
            success["text/event-stream"] = _EVENT_STREAM
        answers: dict[str, Schema] = {
            "200": {
                "description": "Success",
                "headers": headers_of_success(route),
                "content": success,
            }
        }
        if has_etag(route):
            answers["304"] = {
                "description": "You have this content: `If-None-Match` names its `ETag`.",
                "headers": headers_of_success(route),
            }
        by_status: defaultdict[int, list[type[ApiError]]] = defaultdict(list)
        for error in errors_of(route):
            by_status[error.status].append(error)
        for status, errors in by_status.items():
            answers[str(status)] = self._refer(_name_for(route, status, errors), errors)
        return answers

    def _success(self, route: ChatRoute) -> Schema:
        described: Schema = {"schema": self._book.success(route)}
        if example := operation_examples().get(route.name):
            described["example"] = example["response"]
        return described

    def _refer(self, name: str, errors: Sequence[type[ApiError]]) -> Schema:
        """The reference to the response with one of these errors."""
        if name not in self.shared:
            codes = list(dict.fromkeys(error.code for error in errors))
            schema = self._book.error(codes, f"{name}Error")
            self.shared[name] = _describe(errors, schema)
        return {"$ref": f"#/components/responses/{name}"}


def _describe(errors: Sequence[type[ApiError]], schema: Schema) -> Schema:
    return {
        "description": list_errors(errors),
        "headers": headers_of_error(errors[0].status),
        "content": {"application/json": {"schema": schema}},
    }


def _name_for(route: ChatRoute, status: int, errors: Sequence[type[ApiError]]) -> str:
    """Errors that an endpoint declares make a response of its own, the others shared ones."""
    if any(error.status == status for error in route.operation.errors):
        operation = route.name.title().replace("_", "")
        return operation + HTTPStatus(status).phrase.title().replace(" ", "")
    return _response_name(errors)


def _response_name(errors: Iterable[type[ApiError]]) -> str:
    return "Or".join(error.__name__.removesuffix("Error") for error in errors)
