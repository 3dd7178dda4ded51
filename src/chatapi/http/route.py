"""The route class: authorize, read parameters, run, commit, publish, and write the envelope."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatapi.core.errors import ApiError, StaleCallerError, UnavailableError
from chatapi.http.file_responses import FileContent, send_file
from chatapi.http.forms import Form, read_form
from chatapi.http.idempotency import find_stored_response, store_response
from chatapi.http.operation import Endpoint, Operation, RequestContext, inspect_endpoint
from chatapi.http.request import ApiRequest
from chatapi.http.responses import (
    EventStream,
    encode_success,
    send_event_stream,
    send_json,
)
from chatapi.http.uploads import read_form_with_file

API_PREFIX = "/api/v1"

MAX_RESTARTS = 2
"""Restarts of a request that only reads; after them it locks its realm, so nothing can change.

A request that writes needs the lock anyway, and takes it first after its first failed attempt.
"""
MAX_ATTEMPTS = 10
"""Attempts of a request that releases the lock while it runs, as for searching or drawing."""

EndpointT = TypeVar("EndpointT", bound=Endpoint)


class ChatRoute(APIRoute):
    """A FastAPI route that reads the request itself.

    FastAPI's own form models lose empty strings and cannot hold JSON in a form field; solving
    dependencies costs more than the rest of a small request. The commit happens here, before the
    first byte of the response is sent, and nowhere else.
    """

    def __init__(
        self,
        path: str,
        method: str,
        operation: Operation,
        tag: str,
        *,
        is_limited: bool = True,
        follows_log: bool = False,
        ignores_idempotency_key: bool = False,
    ) -> None:
        self.method = method
        self.ignores_idempotency_key = ignores_idempotency_key
        # A request that writes has locked the realm, which includes this check.
        self._rechecks_caller = method == "GET" and not follows_log
        self._follows_log = follows_log
        self._most_restarts = MAX_RESTARTS if method == "GET" else 0
        self.operation = operation
        self.is_limited = is_limited
        super().__init__(
            path,
            _described_elsewhere,
            methods=[method],
            name=operation.endpoint.__name__,
            operation_id=operation.endpoint.__name__,
            tags=[tag],
            response_model=None,
        )
        self.app = self.handle_request

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        request: ApiRequest = scope["state"]["request"]
        payload, ignored = await self._run(request)
        if isinstance(payload, EventStream):
            await send_event_stream(request, send, payload)
        elif isinstance(payload, FileContent):
            await send_file(request, send, payload)
        else:
            await send_json(request, send, 200, await encode_success(payload, ignored))

    async def _run(self, request: ApiRequest) -> tuple[Any, list[str]]:
        """Run the request; start over if the caller changed, finally with the lock taken first.

        A long poll starts over as often as its reader changes: it continues where it was.
        """
        form: Form | None = None
        attempt = 0
        try:
            while True:
                locks_first = attempt > self._most_restarts and not self._follows_log
                context = await self.operation.guard.authorize(request, locks_first=locks_first)
                try:
                    form = form or await self._read(request, context)
                    return await self._run_once(request, context, form)
                except StaleCallerError:
                    if locks_first and attempt >= MAX_ATTEMPTS:
                        raise UnavailableError from None
                    attempt += 1
                finally:
                    await context.work.close()
        finally:
            if form is not None:
                form.close()

    async def _read(self, request: ApiRequest, context: RequestContext) -> Form:
        """Read the parameters; an unauthenticated request may send only a small body."""
        is_anonymous = context.caller_id is None
        limits = request.scope["state"]["anonymous_body_limits" if is_anonymous else "body_limits"]
        if self.operation.params.file_parameter is None:
            return await read_form(request, limits)
        return await read_form_with_file(request, limits)

    async def _run_once(
        self, request: ApiRequest, context: RequestContext, form: Form
    ) -> tuple[Any, list[str]]:
        operation = self.operation
        params, unknown = operation.params.read(form.values, form.file)
        ignored = sorted({*unknown, *form.ignored}) if form.ignored else unknown
        if not self.ignores_idempotency_key:
            stored = await find_stored_response(request, context, form.fingerprint())
            if stored is not None:
                return stored, ignored
        arguments = operation.arguments(context, request, params)
        try:
            payload = await operation.endpoint(**arguments)
        except ApiError:
            # An error also reveals something, so the caller is checked before it, too.
            await self._recheck_caller(context)
            raise
        await self._recheck_caller(context)
        if context.work.has_idempotency_key:
            await store_response(context, None if operation.returns_secret else payload or {})
        await context.work.commit()
        return payload, ignored

    async def _recheck_caller(self, context: RequestContext) -> None:
        """Start over if a request that only reads would no longer be authorized."""
        if self._rechecks_caller:
            await context.recheck_caller()


async def _described_elsewhere() -> Response:
    """FastAPI inspects this instead of the endpoint, whose signature it would not understand."""
    raise NotImplementedError


class FeatureRouter:
    """Collects the routes of one feature, below the API's prefix by default.

    `is_limited=False` is for endpoints that must respond however many requests an address sends,
    `is_documented=False` for addresses that browsers find in messages.
    """

    def __init__(
        self,
        tag: str,
        description: str = "",
        *,
        prefix: str = API_PREFIX,
        is_limited: bool = True,
        is_documented: bool = True,
    ) -> None:
        self.tag = tag
        self.description = description
        self._prefix = prefix
        self._is_limited = is_limited
        self.is_documented = is_documented
        self.routes: list[ChatRoute] = []

    def get(
        self, path: str, *, errors: Sequence[type[ApiError]] = (), follows_log: bool = False
    ) -> Callable[[EndpointT], EndpointT]:
        """`follows_log` is for endpoints whose response shows only what caches saw in the log."""
        return self._route("GET", path, errors, follows_log=follows_log)

    def post(
        self,
        path: str,
        *,
        errors: Sequence[type[ApiError]] = (),
        payload: Callable[[], type] | None = None,
        ignores_idempotency_key: bool = False,
    ) -> Callable[[EndpointT], EndpointT]:
        """`payload` replaces a return annotation that is only known when all modules are loaded.

        `ignores_idempotency_key` is for requests that may be carried out twice and have a large
        response: a repeat is carried out again, and no response is stored.
        """
        return self._route(
            "POST", path, errors, payload, ignores_idempotency_key=ignores_idempotency_key
        )

    def patch(
        self,
        path: str,
        *,
        errors: Sequence[type[ApiError]] = (),
        payload: Callable[[], type] | None = None,
    ) -> Callable[[EndpointT], EndpointT]:
        return self._route("PATCH", path, errors, payload)

    def delete(
        self, path: str, *, errors: Sequence[type[ApiError]] = ()
    ) -> Callable[[EndpointT], EndpointT]:
        return self._route("DELETE", path, errors)

    def _route(
        self,
        method: str,
        path: str,
        errors: Sequence[type[ApiError]],
        payload: Callable[[], type] | None = None,
        *,
        follows_log: bool = False,
        ignores_idempotency_key: bool = False,
    ) -> Callable[[EndpointT], EndpointT]:
        def add(endpoint: EndpointT) -> EndpointT:
            operation = inspect_endpoint(endpoint, errors, payload)
            self.routes.append(
                ChatRoute(
                    self._prefix + path,
                    method,
                    operation,
                    self.tag,
                    is_limited=self._is_limited,
                    follows_log=follows_log,
                    ignores_idempotency_key=ignores_idempotency_key,
                )
            )
            return endpoint

        return add
