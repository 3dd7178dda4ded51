"""The route class and how routes are found: authorize, read, run, commit, publish, respond."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from http import HTTPStatus
from typing import Any, ClassVar, NamedTuple

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override

from chatapi.core.errors import (
    ApiError,
    MethodNotAllowedError,
    NotFoundError,
    StaleCallerError,
    UnavailableError,
)
from chatapi.core.ids import UserId
from chatapi.http.compression import MIN_BYTES
from chatapi.http.content import Content, repeats_names_of_link, send_content
from chatapi.http.etags import etag_of
from chatapi.http.forms import Form, read_form, read_form_with_file, read_query_and_body
from chatapi.http.idempotency import find_stored_response, store_response
from chatapi.http.operation import Endpoint, RequestContext, inspect_endpoint
from chatapi.http.request import ApiRequest
from chatapi.http.responses import (
    JSON_HEADERS,
    REVALIDATED_HEADERS,
    EventStream,
    FileContent,
    Redirect,
    encode_success,
    send_event_stream,
    send_file,
    send_json,
    send_redirect,
)

API_PREFIX = "/api/v1"

MAX_RESTARTS = 2
"""Restarts of a request that only reads; after them it locks its realm, so nothing can change.

A request that writes needs the lock anyway, and takes it first after its first failed attempt.
"""
MAX_ATTEMPTS = 10
"""Attempts of a request that releases the lock while it runs, as for searching or drawing."""


class Outcome(NamedTuple):
    """What an endpoint returned, and for whom."""

    payload: Any
    reader: UserId | None


class ChatRoute(APIRoute):
    """A FastAPI route that reads the request itself.

    FastAPI's own form models lose empty strings and cannot hold JSON in a form field; solving
    dependencies costs more than the rest of a small request. The commit happens here, before the
    first byte of the response is sent, and nowhere else.
    """

    is_read_by_body: ClassVar[bool] = False

    def __init__(
        self,
        path: str,
        endpoint: Endpoint,
        *,
        methods: Sequence[str],
        tags: list[str | Enum],
        responses: Mapping[int | str, Mapping[str, Any]],
        response_model: Any,  # noqa: ANN401 (as FastAPI declares it)
        include_in_schema: bool = True,
        **options: object,
    ) -> None:
        """Called by `APIRouter`; of its other options only `deprecated` has a use here."""
        (self.method,) = set(methods) - {"HEAD"}
        late_payload = response_model if callable(response_model) else None
        self.operation = inspect_endpoint(endpoint, _errors_in(responses), late_payload)
        self.is_limited = self.stores_responses = True
        follows_log = self.operation.guard.follows_log
        only_reads = self.method == "GET" or self.is_read_by_body
        # A request that writes has locked the realm, which includes this check.
        self._rechecks_caller = only_reads and not follows_log
        self._follows_log = follows_log
        self._most_restarts = MAX_RESTARTS if only_reads else 0
        name = endpoint.__name__ + ("_by_body" if self.is_read_by_body else "")
        super().__init__(
            path,
            _described_elsewhere,
            # HEAD is the same request; its response is sent without a body.
            methods=["GET", "HEAD"] if self.method == "GET" else [self.method],
            name=name,
            operation_id=name,
            tags=tags,
            deprecated=bool(options.get("deprecated")),
            response_model=None,
            include_in_schema=include_in_schema,
        )
        self.app = self.handle_request

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the request; start over if the caller changed, finally with the lock taken first.

        A long poll starts over as often as its reader changes: it continues where it was. While it
        waits, every call between here and the endpoint stays in memory, so there are few of them.
        """
        del receive
        request: ApiRequest = scope["request"]
        form: Form | None = None
        outcome: Outcome | None = None
        attempt = 0
        try:
            while outcome is None:
                locks_first = attempt > self._most_restarts and not self._follows_log
                context = await self.operation.guard(request, locks_first=locks_first)
                try:
                    form = form or await self._read(request, context)
                    outcome = await self._run(request, context, form)
                except StaleCallerError:
                    if locks_first and attempt >= MAX_ATTEMPTS:
                        raise UnavailableError from None
                    attempt += 1
                finally:
                    await context.work.close()
        finally:
            if form is not None:
                form.close()
        if not request.response_status:
            await self._respond(request, send, outcome)

    async def _respond(self, request: ApiRequest, send: Send, outcome: Outcome) -> None:
        payload = outcome.payload
        if isinstance(payload, EventStream):
            await send_event_stream(request, send, payload)
        elif isinstance(payload, FileContent):
            await send_file(request, send, payload)
        elif isinstance(payload, Redirect):
            await send_redirect(request, send, payload)
        else:
            chunks = await encode_success(payload, request.ignored_parameters)
            if len(chunks) == 1 and len(chunks[0]) < MIN_BYTES and not self.operation.revalidates:
                # Most responses: nothing about them can be made smaller.
                await send_json(request, send, 200, chunks)
            else:
                await send_content(request, send, await self._content(request, outcome, chunks))

    async def _content(
        self, request: ApiRequest, outcome: Outcome, chunks: Sequence[bytes]
    ) -> Content:
        """The response in the envelope, and whether it may be compressed and kept.

        A credential is never compressed beside text that another user chose, since the size could
        reveal it. Names of parameters are such text.
        """
        compressible = not (self.operation.returns_credential or repeats_names_of_link(request))
        if not self.operation.revalidates or not request.is_get:
            return Content(chunks, JSON_HEADERS, is_compressible=compressible)
        etag = await etag_of(outcome.reader, chunks)
        return Content(chunks, REVALIDATED_HEADERS, etag, is_compressible=compressible)

    async def _read(self, request: ApiRequest, context: RequestContext) -> Form:
        """Read the parameters; an unauthenticated request may send only a small body."""
        is_anonymous = context.caller_id is None
        limits = request.scope["anonymous_body_limits" if is_anonymous else "body_limits"]
        if self.operation.params.body_parameter is not None:
            return await read_query_and_body(request, limits)
        if self.operation.params.file_parameter is None:
            return await read_form(request, limits)
        return await read_form_with_file(request, limits)

    async def _run(self, request: ApiRequest, context: RequestContext, form: Form) -> Outcome:
        """Call the endpoint, or find the response of the same request, and commit."""
        operation = self.operation
        try:
            params, unknown = operation.params.read(form.values, form.file, form.body)
            request.ignored_parameters = (
                sorted({*unknown, *form.ignored}) if form.ignored else unknown
            )
            payload: Any = None
            if self.stores_responses:
                payload = await find_stored_response(request, context, form.fingerprint)
            if payload is None:
                result = operation.endpoint(**operation.arguments(context, request, params))
                # A poll that waits does not need them any more.
                del params
                payload = await result
            else:
                await context.recheck_caller()
        except ApiError as error:
            # An error also reveals something, and a client whose key was revoked must hear of that
            # first. Where the service is at fault, a further statement would not help.
            if error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                await context.recheck_caller()
            raise
        if self._rechecks_caller:
            await context.recheck_caller()
        if context.work.has_idempotency_key:
            is_secret = operation.returns_secret
            await store_response(context, None if is_secret else payload or {})
        await context.work.commit()
        return Outcome(payload, context.caller_id)


class ReadByBodyRoute(ChatRoute):
    """POST to the path of a GET and `/query`: the same read, with its parameters in the body.

    Addresses are limited to some KiB, and a long list or narrow does not fit into one.
    """

    is_read_by_body: ClassVar[bool] = True


async def _described_elsewhere() -> Response:
    """FastAPI inspects this instead of the endpoint, whose signature it would not understand."""
    raise NotImplementedError


class FeatureRouter(APIRouter):
    """FastAPI's router with our route class, below the API's prefix by default.

    `is_limited=False` is for endpoints that must respond however many requests an address sends,
    `include_in_schema=False` for addresses that browsers find in messages, and for documents that
    other programs define, and `stores_responses=False` for requests that may be carried out twice
    and have a large response: a repeat with the same Idempotency-Key is carried out again.
    """

    def __init__(
        self,
        tag: str,
        description: str = "",
        *,
        prefix: str = API_PREFIX,
        include_in_schema: bool = True,
        is_limited: bool = True,
        stores_responses: bool = True,
    ) -> None:
        super().__init__(
            prefix=prefix,
            tags=[tag],
            route_class=ChatRoute,
            include_in_schema=include_in_schema,
        )
        self.tag = tag
        self.description = description
        self._is_limited = is_limited
        self._stores_responses = stores_responses

    @property
    def chat_routes(self) -> list[ChatRoute]:
        return [route for route in self.routes if isinstance(route, ChatRoute)]

    @override
    def add_api_route(self, path: str, endpoint: Endpoint, **options: Any) -> None:
        """Called by `get`, `post`, `put`, `patch` and `delete`.

        A GET with a parameter that can be long is added a second time, to be sent by a body.
        """
        super().add_api_route(path, endpoint, **options)
        route = self.chat_routes[-1]
        route.is_limited = self._is_limited
        route.stores_responses = self._stores_responses
        decoders = route.operation.params.decoders.values()
        if route.method == "GET" and any(decoder.is_container for decoder in decoders):
            self._add_read_by_body(path, endpoint, options)

    def _add_read_by_body(self, path: str, endpoint: Endpoint, options: dict[str, Any]) -> None:
        super().add_api_route(
            f"{path}/query",
            endpoint,
            **{
                **options,
                "methods": ["POST"],
                "route_class_override": ReadByBodyRoute,
            },
        )
        route = self.chat_routes[-1]
        route.is_limited = self._is_limited
        route.stores_responses = False


def raises(*errors: type[ApiError]) -> dict[int | str, dict[str, Any]]:
    """The errors of an endpoint beyond those of its guard, for `responses` of its decorator."""
    by_status: defaultdict[int | str, dict[str, Any]] = defaultdict(lambda: {"errors": []})
    for error in errors:
        by_status[error.status]["errors"].append(error)
    return dict(by_status)


def _errors_in(responses: Mapping[int | str, Mapping[str, Any]]) -> list[type[ApiError]]:
    return [error for described in responses.values() for error in described["errors"]]


class PageApp:
    """A page that Starlette sends; notes its status in the request, as other responses do."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request: ApiRequest = scope["request"]

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                request.response_status = message["status"]
            await send(message)

        await self.app(scope, receive, send_and_note)


class RouteIndex:
    """Finds a literal path in a dictionary, any other among the patterns with the same key.

    A literal path, such as /users/me, is never matched by a pattern.
    """

    def __init__(self, routes: list[BaseRoute]) -> None:
        self._literal: defaultdict[str, dict[str, ASGIApp]] = defaultdict(dict)
        self._patterns: defaultdict[str, list[tuple[Route, ASGIApp]]] = defaultdict(list)
        for route in routes:
            if not isinstance(route, Route):
                continue
            app = route.app if isinstance(route, ChatRoute) else PageApp(route.app)
            if "{" in route.path:
                self._patterns[_key(route.path)].append((route, app))
            else:
                for method in sorted(route.methods or ()):
                    self._literal[route.path].setdefault(method, app)
        self.unlimited_paths = frozenset(
            route.path for route in routes if isinstance(route, ChatRoute) and not route.is_limited
        )

    def find(self, scope: Scope) -> ASGIApp:
        """Returns the app for a request; puts the path parameters into the scope.

        Also puts the pattern there, for the log: a path can hold secrets, which must not be logged.
        """
        path = scope["path"]
        by_method = self._literal.get(path)
        if by_method is None:
            return self._find_by_pattern(path, scope)
        scope["route_path"] = path
        if scope["method"] not in by_method:
            raise MethodNotAllowedError(list(by_method))
        return by_method[scope["method"]]

    def _find_by_pattern(self, path: str, scope: Scope) -> ASGIApp:
        allowed: list[str] = []
        for route, app in self._patterns.get(_key(path), ()):
            match, child_scope = route.matches(scope)
            if match is Match.NONE or "" in child_scope["path_params"].values():
                # A parameter that matches slashes would match an empty string as well.
                continue
            scope["route_path"] = route.path_format
            if match is Match.FULL:
                scope.update(child_scope)
                return app
            if match is Match.PARTIAL:
                allowed += sorted(route.methods or ())
        if allowed:
            raise MethodNotAllowedError(list(dict.fromkeys(allowed)))
        raise NotFoundError


def _key(path: str) -> str:
    """The literal segment that follows the prefix, or, without the prefix, the first one."""
    if not path.startswith(API_PREFIX + "/"):
        return "/" + path[1:].partition("/")[0]
    return path[len(API_PREFIX) + 1 :].partition("/")[0]
