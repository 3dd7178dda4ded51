"""The gate every request passes: request id, limits, other sites, an envelope for failures."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatapi.core.errors import ApiError, InternalError, NotFoundError, UnavailableError
from chatapi.core.settings import Settings
from chatapi.db.faults import is_unavailable
from chatapi.files.store import MissingFileError
from chatapi.http.answers import send_error
from chatapi.http.call import BodyLimits, Call
from chatapi.http.forms import ClientGoneError
from chatapi.http.limits import RateLimits
from chatapi.http.origins import check_host, check_site

log = structlog.get_logger()

_MIB = 1024 * 1024


class Gate:
    """Plain ASGI around the routes; nothing a client can send gets an answer from elsewhere."""

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
        call = Call(scope, receive)
        scope["state"] = {
            "call": call,
            "body_limits": self._body_limits,
            "anonymous_body_limits": self._anonymous_body_limits,
        }
        return self._logged(call, send) if self._settings.access_log else self._answer(call, send)

    async def _answer(self, call: Call, send: Send) -> None:
        try:
            if call.path not in self._unlimited_paths:
                await self._limits.charge_address(call)
            check_host(call)
            check_site(call, self._settings.public_url)
            await self._find_route(call.scope)(call.scope, call.receive, send)
        except ApiError as error:
            await send_error(call, send, error)
        except ClientGoneError:
            pass
        except asyncio.CancelledError:
            # The server cuts off what is still under way when the process has to end.
            if not self._is_ending():
                raise
            if not call.answer_has_begun:
                await send_error(call, send, UnavailableError())
        except MissingFileError:
            await send_error(call, send, NotFoundError())
        except Exception as error:  # noqa: BLE001 (the last place where an answer can be given)
            await send_error(call, send, self._translate(call, error))
        finally:
            # Call and scope name each other: without this every request, with all the server
            # holds for it, would be left to the garbage collector.
            call.scope["state"].clear()

    def _translate(self, call: Call, error: Exception) -> ApiError:
        """What the client is told; the details go to the log and only there."""
        if is_unavailable(error):
            log.warning("unavailable", **_where(call), reason=type(error).__name__)
            return UnavailableError()
        log.error("request_failed", **_where(call), exc_info=error)
        return InternalError()

    async def _logged(self, call: Call, send: Send) -> None:
        status = 0

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self._answer(call, send_and_note)
        log.info("request", **_where(call), status=status, seconds=round(call.waited, 4))


def _where(call: Call) -> dict[str, str]:
    return {"request_id": call.request_id, "method": call.method, "path": call.route_path}
