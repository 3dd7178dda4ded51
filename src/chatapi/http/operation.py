"""What an endpoint's signature declares: guard, parameters, path parameters and payload."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from types import NoneType
from typing import (
    Annotated,
    Any,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from fastapi.params import Depends
from msgspec import Struct
from pydantic import ConfigDict, TypeAdapter, ValidationError

from chatapi.core.errors import ApiError, BadRequestError
from chatapi.core.ids import UserId
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.http.request import ApiRequest
from chatapi.http.responses import EventStream
from chatapi.wire.params import NoParams, Params
from chatapi.wire.secrets import holds_credential, holds_secret
from chatapi.wire.validation_errors import message_for


class RequestContext(Protocol):
    """What a guard returns: at least a unit of work to commit."""

    @property
    def work(self) -> UnitOfWork: ...

    @property
    def caller_id(self) -> UserId | None:
        """The caller's id, None if the request is not authenticated."""

    async def recheck_caller(self) -> None:
        """Raise StaleCallerError if the caller has changed since it was authorized."""


Credentials = Literal["ignored", "optional", "required"]


class Guard(Protocol):
    """The dependency of an endpoint's first argument: decides who may call the endpoint."""

    credentials: Credentials
    """How the Authorization header is used, for the documentation."""
    follows_log: bool
    """Whether the response shows only what caches saw in the log, so that nothing is rechecked."""

    def errors(self) -> Sequence[type[ApiError]]:
        """The errors the guard itself may raise."""

    async def __call__(self, request: ApiRequest, *, locks_first: bool) -> RequestContext:
        """Authorize a request, or raise the error that refuses it.

        With `locks_first` its realm is locked before anything is looked up, so that no data the
        request depends on can change until the lock is released.
        """


Endpoint = Callable[..., Awaitable[Any]]

P = TypeVar("P")


class _RevalidatedMark:
    """Marks the payload of a response that has an ETag."""


Revalidated: TypeAlias = Annotated[P, _RevalidatedMark()]
"""What a GET returns if clients read it often and it seldom changes: it gets an ETag, and a client
that still has it receives 304 instead."""


class Operation(Struct, frozen=True, dict=True):
    """One endpoint, inspected once, when the application is assembled."""

    endpoint: Endpoint
    guard: Guard
    guard_argument: str
    params: type[Params]
    params_argument: str | None
    request_argument: str | None
    path_types: Mapping[str, TypeAdapter[Any]]
    payload: Callable[[], type | None]
    """Returns the type of the response; called only when the documentation is generated."""
    streams: bool
    revalidates: bool
    """Whether the response has an ETag."""
    errors: tuple[type[ApiError], ...]

    @cached_property
    def returns_secret(self) -> bool:
        """Whether the response contains a secret, which must not be stored."""
        return holds_secret(self.payload())

    @cached_property
    def returns_credential(self) -> bool:
        """Whether the response can contain a credential, which must not be compressed."""
        return holds_credential(self.payload())

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
                raise BadRequestError(message_for(error, value, name)) from None
        return arguments


def inspect_endpoint(
    endpoint: Endpoint,
    errors: Sequence[type[ApiError]],
    late_payload: Callable[[], type] | None = None,
) -> Operation:
    """Read an endpoint's signature; raises TypeError if it has no guard."""
    hints = get_type_hints(endpoint, include_extras=True)
    returned = hints.pop("return", NoneType)
    if get_origin(returned) is Awaitable:
        # Of an endpoint that is no coroutine, and returns one.
        (returned,) = get_args(returned)
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
            # Built with the first request.
            path_types[name] = TypeAdapter(hint, config=ConfigDict(defer_build=True))
    revalidates = any(
        isinstance(mark, _RevalidatedMark) for mark in getattr(returned, "__metadata__", ())
    )
    payload, streams = _split_return(returned.__origin__ if revalidates else returned)
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
        revalidates=revalidates,
        errors=tuple(errors),
    )


def _find_guard(endpoint: Endpoint, hints: Mapping[str, Any]) -> tuple[Guard, str]:
    for name, hint in hints.items():
        for annotation in getattr(hint, "__metadata__", ()):
            if isinstance(annotation, Depends) and annotation.dependency is not None:
                guard: Any = annotation.dependency
                return guard, name
    raise TypeError(f"{endpoint.__module__}.{endpoint.__name__} declares no guard")


def _split_return(returned: Any) -> tuple[type | None, bool]:  # noqa: ANN401 (an annotation)
    members = get_args(returned) if get_origin(returned) is not None else (returned,)
    payloads = [member for member in members if member not in {NoneType, EventStream}]
    return (payloads[0] if payloads else None), EventStream in members
