"""Guards: the dependency of an endpoint's first argument says who may call it."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Annotated, ClassVar

from fastapi import Depends
from msgspec import Struct

from chatapi.auth.caller_cache import Caller
from chatapi.auth.context import (
    Context,
    ProcessContext,
    RealmContext,
    ServerContext,
    VisitorContext,
)
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_sessions import lock_first
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import (
    AdministratorRequiredError,
    ApiError,
    MissingWebhookKeyError,
    UnauthorizedError,
    UnknownOrganizationError,
    WebhookRefusedError,
)
from chatapi.core.roles import BotType, Role
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.http.forms import read_query
from chatapi.http.operation import Credentials
from chatapi.http.request import ApiRequest


def runtime_of(request: ApiRequest) -> Runtime:
    runtime: Runtime = request.scope["app"].state.runtime
    return runtime


class ProbeGuard(Struct, frozen=True):
    """For health checks: no authentication, and not even the realm is looked up."""

    credentials: ClassVar[Credentials] = "ignored"
    follows_log: ClassVar[bool] = False

    def errors(self) -> Sequence[type[ApiError]]:
        return ()

    async def __call__(self, request: ApiRequest, *, locks_first: bool) -> ProcessContext:
        del locks_first
        runtime = runtime_of(request)
        return ProcessContext(runtime=runtime, work=runtime.begin())


class ServerGuard(Struct, frozen=True):
    """For everyone, on any host name; an Authorization header is ignored."""

    credentials: ClassVar[Credentials] = "ignored"
    follows_log: ClassVar[bool] = False

    def errors(self) -> Sequence[type[ApiError]]:
        return ()

    async def __call__(self, request: ApiRequest, *, locks_first: bool) -> ServerContext:
        del locks_first
        runtime = runtime_of(request)
        return ServerContext(
            runtime=runtime,
            work=runtime.begin(),
            origin=request.origin,
            maybe_realm=await runtime.realms.find(request.host),
        )


class RealmGuard(Struct, frozen=True):
    """For everyone, on a host name of a realm; an Authorization header is ignored.

    `is_login` is for requests that try a password: those of one address are limited strictly, and
    counted before their body is read.
    """

    is_login: bool = False
    credentials: ClassVar[Credentials] = "ignored"
    follows_log: ClassVar[bool] = False

    def errors(self) -> Sequence[type[ApiError]]:
        return (UnknownOrganizationError,)

    async def __call__(self, request: ApiRequest, *, locks_first: bool) -> RealmContext:
        runtime = runtime_of(request)
        if self.is_login:
            await runtime.limits.charge_login_from(request)
        async with _open_realm(request, runtime, locks_first=locks_first) as (realm, work):
            return RealmContext(
                runtime=runtime,
                work=work,
                origin=request.origin,
                maybe_realm=realm,
                realm=realm,
                address=request.address,
                computed=request.computed,
            )


class VisitorGuard(Struct, frozen=True):
    """For users, and visitors without an account; a header that is sent must be valid.

    Incoming webhook bots are refused: they may read nothing, not even public data.
    """

    credentials: ClassVar[Credentials] = "optional"
    follows_log: ClassVar[bool] = False

    def errors(self) -> Sequence[type[ApiError]]:
        return (UnknownOrganizationError, UnauthorizedError, WebhookRefusedError)

    async def __call__(self, request: ApiRequest, *, locks_first: bool) -> VisitorContext:
        runtime = runtime_of(request)
        async with _open_realm(request, runtime, locks_first=locks_first) as (realm, work):
            visitor = None
            if request.header(b"authorization"):
                visitor = await _authorize(request, runtime, work, realm, _refuse_webhook)
            return VisitorContext(
                runtime=runtime,
                work=work,
                origin=request.origin,
                maybe_realm=realm,
                realm=realm,
                visitor=visitor,
                client_name=request.client_name,
                address=request.address,
                computed=request.computed,
            )


class CallerGuard(Struct, frozen=True):
    """For active users of the realm with at least the given role.

    Incoming webhook bots are refused unless `allows_webhooks` is set, as it is for sending.
    `follows_log` is for endpoints whose response shows only what caches saw in the log.
    """

    role: Role = Role.GUEST
    allows_webhooks: bool = False
    follows_log: bool = False
    credentials: ClassVar[Credentials] = "required"

    def errors(self) -> Sequence[type[ApiError]]:
        webhooks = () if self.allows_webhooks else (WebhookRefusedError,)
        roles = () if self.role is Role.GUEST else (AdministratorRequiredError,)
        return (UnknownOrganizationError, UnauthorizedError, *webhooks, *roles)

    async def __call__(self, request: ApiRequest, *, locks_first: bool) -> Context:
        runtime = runtime_of(request)
        async with _open_realm(request, runtime, locks_first=locks_first) as (realm, work):
            caller = await _authorize(request, runtime, work, realm, self._require_allowed)
            return _context_of(request, runtime, realm, work, caller)

    def _require_allowed(self, caller: Caller) -> None:
        if not self.allows_webhooks:
            _refuse_webhook(caller)
        if not caller.user.role.at_least(self.role):
            raise AdministratorRequiredError


class WebhookGuard(Struct, frozen=True):
    """For incoming webhook bots whose API key is in the query, as other programs send it.

    The key is the only credential there: an Authorization header is ignored.
    """

    credentials: ClassVar[Credentials] = "required"
    follows_log: ClassVar[bool] = False

    def errors(self) -> Sequence[type[ApiError]]:
        return (UnknownOrganizationError, UnauthorizedError)

    async def __call__(self, request: ApiRequest, *, locks_first: bool) -> Context:
        runtime = runtime_of(request)
        limits = request.scope["anonymous_body_limits"]
        api_key = (await read_query(request, limits)).get("api_key", "")
        if not api_key:
            raise MissingWebhookKeyError
        async with _open_realm(request, runtime, locks_first=locks_first) as (realm, work):
            caller = await runtime.callers.authenticate_webhook(work.db, realm, api_key)
            await _charge(request, runtime, work, caller)
            return _context_of(request, runtime, realm, work, caller)


def _context_of(
    request: ApiRequest, runtime: Runtime, realm: RealmRecord, work: UnitOfWork, caller: Caller
) -> Context:
    return Context(
        runtime=runtime,
        work=work,
        origin=request.origin,
        maybe_realm=realm,
        realm=realm,
        caller=caller,
        client_name=request.client_name,
        address=request.address,
        computed=request.computed,
    )


class _open_realm:  # noqa: N801 (a context manager, used like a function)
    """Look up the realm of a request and begin its transaction; closes it if the guard refuses.

    A class, because `asynccontextmanager` costs several more calls for every request.
    """

    __slots__ = ("_locks_first", "_request", "_runtime", "_work")

    def __init__(self, request: ApiRequest, runtime: Runtime, *, locks_first: bool) -> None:
        self._request = request
        self._runtime = runtime
        self._locks_first = locks_first

    async def __aenter__(self) -> tuple[RealmRecord, UnitOfWork]:
        runtime = self._runtime
        realm = await runtime.realms.get_by_host(self._request.host)
        self._request.realm_name = realm.subdomain
        self._work = work = runtime.begin()
        if not self._locks_first:
            return realm, work
        try:
            return await lock_first(runtime, work, realm), work
        except BaseException:
            await work.close()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            await self._work.close()


async def _authorize(
    request: ApiRequest,
    runtime: Runtime,
    work: UnitOfWork,
    realm: RealmRecord,
    require_allowed: Callable[[Caller], None],
) -> Caller:
    """Authenticate the caller of a request and check that it may call the endpoint.

    Before a caller is refused, it is looked up again if another process has changed it: with a
    revoked key, the client must hear of the key and not of a missing permission.
    """
    caller = await _authenticate(request, runtime, work, realm)
    try:
        require_allowed(caller)
    except ApiError:
        if work.db.was_locked_first:
            raise
        await runtime.clock_reader.catch_up(realm.id)
        caller = await _authenticate(request, runtime, work, realm)
        require_allowed(caller)
    return caller


async def _authenticate(
    request: ApiRequest, runtime: Runtime, work: UnitOfWork, realm: RealmRecord
) -> Caller:
    caller = await runtime.callers.authenticate(work.db, realm, request.header(b"authorization"))
    await _charge(request, runtime, work, caller)
    return caller


async def _charge(request: ApiRequest, runtime: Runtime, work: UnitOfWork, caller: Caller) -> None:
    """Count a request in the limit of its caller."""
    if not work.db.was_locked_first:
        # A long poll must not hold the connection its authentication needed.
        await work.release_connection()
    if request.charged_user_id != caller.user.id:
        # A request that starts over is not charged again.
        runtime.limits.charge_user(request, caller.user.id)
        request.charged_user_id = caller.user.id


def _refuse_webhook(caller: Caller) -> None:
    if caller.user.bot_type is BotType.INCOMING_WEBHOOK:
        raise WebhookRefusedError


Probe = Annotated[ProcessContext, Depends(ProbeGuard())]
Server = Annotated[ServerContext, Depends(ServerGuard())]
Anybody = Annotated[RealmContext, Depends(RealmGuard())]
LoggingIn = Annotated[RealmContext, Depends(RealmGuard(is_login=True))]
MaybeAnonymous = Annotated[VisitorContext, Depends(VisitorGuard())]
LoggedIn = Annotated[Context, Depends(CallerGuard())]
Sender = Annotated[Context, Depends(CallerGuard(allows_webhooks=True))]
"""Users and incoming webhook bots: only for POST /messages."""
Webhook = Annotated[Context, Depends(WebhookGuard())]
"""Incoming webhook bots by a key in the query: only for documents of other programs."""
Poller = Annotated[Context, Depends(CallerGuard(follows_log=True))]
"""Users who wait for events: only for GET /events."""
Admin = Annotated[Context, Depends(CallerGuard(Role.ADMIN))]
