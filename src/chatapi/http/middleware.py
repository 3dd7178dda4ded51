"""The middleware of every request: request id, limits, cross-site checks, error envelopes."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatapi.core.errors import ApiError, InternalError, NotFoundError, UnavailableError
from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.files.store import MissingFileError
from chatapi.http.forms import ClientDisconnectedError
from chatapi.http.limits import RateLimits
from chatapi.http.origins import check_host, check_site
from chatapi.http.request import ApiRequest, BodyLimits
from chatapi.http.responses import send_error

log = structlog.get_logger()

_MIB = 1024 * 1024


class ApiMiddleware:
    """Plain ASGI middleware around the routes; all responses, errors included, pass through it."""

    def __init__(
        self,
        find_route: Callable[[Scope], ASGIApp],
        settings: Settings,
        limits: RateLimits,
        unlimited_paths: frozenset[str] = frozenset(),
        *,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        self._find_route = find_route
        self._settings = settings
        self._limits = limits
        self._unlimited_paths = unlimited_paths
        self._is_ending = is_ending
        self._body_limits = BodyLimits(
            settings.max_body_bytes, settings.max_file_upload_size_mib * _MIB
        )
        self._anonymous_body_limits = self._body_limits.without_credentials()

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        request = ApiRequest(scope, receive)
        scope["state"] = {
            "request": request,
            "body_limits": self._body_limits,
            "anonymous_body_limits": self._anonymous_body_limits,
        }
        return (
            self._logged(request, send)
            if self._settings.access_log
            else self._answer(request, send)
        )

    async def _answer(self, request: ApiRequest, send: Send) -> None:
        try:
            if request.path not in self._unlimited_paths:
                await self._limits.charge_address(request)
            check_host(request)
            check_site(request, self._settings.public_url)
            await self._find_route(request.scope)(request.scope, request.receive, send)
        except ApiError as error:
            await send_error(request, send, error)
        except ClientDisconnectedError:
            pass
        except asyncio.CancelledError:
            # The server cancels requests that are still running when the process has to end.
            if not self._is_ending():
                raise
            if not request.response_started:
                await send_error(request, send, UnavailableError())
        except MissingFileError:
            await send_error(request, send, NotFoundError())
        except Exception as error:  # noqa: BLE001 (the last place where a response can be sent)
            await send_error(request, send, self._translate(request, error))
        finally:
            # Request and scope refer to each other: without this every request, with all the server
            # holds for it, would be left to the garbage collector.
            request.scope["state"].clear()

    def _translate(self, request: ApiRequest, error: Exception) -> ApiError:
        """Returns the error for the client; the details go only to the log."""
        if is_unavailable(error):
            log.warning("unavailable", **_where(request), reason=type(error).__name__)
            return UnavailableError()
        log.error("request_failed", **_where(request), exc_info=error)
        return InternalError()

    async def _logged(self, request: ApiRequest, send: Send) -> None:
        status = 0

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self._answer(request, send_and_note)
        log.info("request", **_where(request), status=status, seconds=round(request.waited, 4))


def _where(request: ApiRequest) -> dict[str, str]:
    return {"request_id": request.request_id, "method": request.method, "path": request.route_path}
