"""What an endpoint function declares in its signature: guard, parameters, path and payload."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Any, Literal, Protocol, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from chatapi.core.errors import ApiError, BadRequestError
from chatapi.core.ids import UserId
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.http.request import ApiRequest
from chatapi.http.responses import EventStream
from chatapi.wire.params import NoParams, Params
from chatapi.wire.secrets import holds_secret
from chatapi.wire.validation_errors import message_for


class RequestContext(Protocol):
    """What a guard lets through: at least a unit of work to commit."""

    @property
    def work(self) -> UnitOfWork: ...

    @property
    def caller_id(self) -> UserId | None:
        """Who calls, None for somebody who is not logged in."""

    async def recheck_caller(self) -> None:
        """Raise StaleCallerError if they would not be let through again."""


Credentials = Literal["ignored", "optional", "required"]


class Guard(Protocol):
    """Decides who may call; stands as annotation on the endpoint's first argument."""

    credentials: Credentials
    """What becomes of an Authorization header, for the documentation."""

    def errors(self) -> Sequence[type[ApiError]]:
        """What the guard itself may answer."""

    async def authorize(self, request: ApiRequest, *, locks_first: bool) -> RequestContext:
        """Let a request through, or raise why not.

        With `locks_first` its organization is locked before anything is looked up, so that
        nothing the request is decided by can change until it gives the lock back.
        """


Endpoint = Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """One endpoint, taken apart once, when the application is put together."""

    endpoint: Endpoint
    guard: Guard
    guard_argument: str
    params: type[Params]
    params_argument: str | None
    request_argument: str | None
    path_types: Mapping[str, TypeAdapter[Any]]
    payload: Callable[[], type | None]
    """The type of the answer, asked for when the documentation is written."""
    streams: bool
    errors: tuple[type[ApiError], ...]

    @cached_property
    def returns_secret(self) -> bool:
        """Whether the answer shows something that must not be kept."""
        return holds_secret(self.payload())

    def arguments(
        self, context: RequestContext, request: ApiRequest, params: Params
    ) -> dict[str, Any]:
        arguments: dict[str, Any] = {self.guard_argument: context}
        if self.params_argument is not None:
            arguments[self.params_argument] = params
        if self.request_argument is not None:
            arguments[self.request_argument] = request
        for name, adapter in self.path_types.items():
            value = request.path_params[name]
            if isinstance(value, str) and "\0" in value:
                message = f"{name} must not contain NUL characters"
                raise BadRequestError(message)
            try:
                arguments[name] = adapter.validate_python(value)
            except ValidationError as error:
                raise BadRequestError(message_for(error, name)) from None
        return arguments


def inspect_endpoint(
    endpoint: Endpoint,
    errors: Sequence[type[ApiError]],
    late_payload: Callable[[], type] | None = None,
) -> Operation:
    """Read an endpoint's signature; an endpoint without a guard is refused."""
    hints = get_type_hints(endpoint, include_extras=True)
    returned = hints.pop("return", NoneType)
    guard, guard_argument = _find_guard(endpoint, hints)
    del hints[guard_argument]
    params: type[Params] = NoParams
    params_argument = request_argument = None
    path_types: dict[str, TypeAdapter[Any]] = {}
    for name, hint in hints.items():
        if inspect.isclass(hint) and issubclass(hint, Params):
            params, params_argument = hint, name
        elif hint is ApiRequest:
            request_argument = name
        else:
            path_types[name] = TypeAdapter(hint)
    payload, streams = _split_return(returned)
    return Operation(
        endpoint=endpoint,
        guard=guard,
        guard_argument=guard_argument,
        params=params,
        params_argument=params_argument,
        request_argument=request_argument,
        path_types=path_types,
        payload=late_payload or (lambda: payload),
        streams=streams,
        errors=tuple(errors),
    )


def _find_guard(endpoint: Endpoint, hints: Mapping[str, Any]) -> tuple[Guard, str]:
    for name, hint in hints.items():
        for annotation in getattr(hint, "__metadata__", ()):
            if hasattr(annotation, "authorize"):
                return annotation, name
    raise TypeError(f"{endpoint.__module__}.{endpoint.__name__} declares no guard")


def _split_return(returned: Any) -> tuple[type | None, bool]:  # noqa: ANN401 (an annotation)
    members = get_args(returned) if get_origin(returned) is not None else (returned,)
    payloads = [member for member in members if member not in {NoneType, EventStream}]
    return (payloads[0] if payloads else None), EventStream in members
