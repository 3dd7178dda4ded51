"""An HTTP request, whose body is only read on demand."""

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.types import Receive, Scope

from chatapi.core.clock import stopwatch
from chatapi.core.ids import UserId, new_request_id
from chatapi.http.whole_responses import CYCLE

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from chatapi.http.cors import CorsPolicy

_MAX_CLIENT_NAME_LENGTH = 30
_ANONYMOUS_BODY_BYTES = 16 * 1024


class BodyLimits(Struct, frozen=True):
    """Maximum size of a request body."""

    form_bytes: int
    """Of the fields, without a file."""
    file_bytes: int

    def without_credentials(self) -> "BodyLimits":
        """Limits for unauthenticated requests: no endpoint without login needs a larger body."""
        return BodyLimits(
            min(self.form_bytes, _ANONYMOUS_BODY_BYTES), min(self.file_bytes, _ANONYMOUS_BODY_BYTES)
        )


class ApiRequest:
    """The request behind an endpoint: headers, address, and headers for the response."""

    __slots__ = (
        "arrived",
        "charged_user_id",
        "computed",
        "cors",
        "cycle",
        "headers",
        "ignored_parameters",
        "method",
        "path",
        "realm_name",
        "receive",
        "request_id",
        "response_headers",
        "response_status",
        "scope",
    )

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.receive = receive
        self.cycle: RequestResponseCycle | None = scope.pop(CYCLE, None)
        """Sends a whole response at once; None where ASGI's messages are the only way."""
        self.cors: CorsPolicy | None = None
        """Adds headers to a response that is sent at once; None where no origins are listed."""
        self.arrived = stopwatch()
        self.request_id = new_request_id()
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.response_headers: list[tuple[bytes, bytes]] = []
        self.charged_user_id: UserId | None = None
        """The user whose limit the request was counted in; authentication may run several times."""
        self.realm_name = ""
        """The subdomain of the realm that was found, for the log."""
        self.computed: dict[str, object] = {}
        """Results of expensive work, reused if the request has to start over."""
        self.ignored_parameters: list[str] = []
        """Names of parameters that the endpoint does not know."""
        self.response_status = 0
        """The status that has been sent, so that no other can be sent; 0 before that."""

    @property
    def is_get(self) -> bool:
        """Whether the method is GET, or HEAD, which is the same without the body."""
        return self.method in {"GET", "HEAD"}

    @property
    def route_path(self) -> str:
        """The path as the route declares it, without the values a client put into it."""
        return str(self.scope.get("route_path", "unknown"))

    @property
    def path_params(self) -> dict[str, Any]:
        params: dict[str, Any] = self.scope["path_params"]
        return params

    @property
    def address(self) -> str:
        """The client's address; headers of proxies are trusted only as uvicorn is configured to."""
        client = self.scope.get("client")
        return str(client[0]) if client else "unknown"

    @property
    def waited(self) -> float:
        """Seconds since the request arrived."""
        return stopwatch() - self.arrived

    @property
    def host(self) -> str:
        """The host name the client used, without port, in lower case."""
        return _host_name(self.header(b"host"))

    @property
    def origin(self) -> str:
        """Scheme, host and port the client used; the middleware has checked the Host header."""
        return f"{self.scope['scheme']}://{self.header(b'host') or 'localhost'}"

    @property
    def client_name(self) -> str:
        """The part of User-Agent before the slash, where API clients put their name."""
        name = self.header(b"user-agent").partition("/")[0].strip()
        return name[:_MAX_CLIENT_NAME_LENGTH] or "Unspecified"

    async def wait_for_disconnect(self) -> None:
        """Return when the client has disconnected; call it after the whole request was read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def is_disconnected(self) -> bool:
        """Whether the client has disconnected by now; does not wait."""
        try:
            async with asyncio.timeout(0):
                await self.wait_for_disconnect()
        except TimeoutError:
            return False
        return True

    def header(self, name: bytes) -> str:
        value = self.headers.get(name)
        return value.decode("latin-1") if value else ""

    def all_of_header(self, name: bytes) -> str:
        """A header whose value is a list, which may be sent in several lines."""
        if len(self.headers) == len(self.scope["headers"]):
            return self.header(name)
        lines = (value for each, value in self.scope["headers"] if each == name)
        return b",".join(lines).decode("latin-1")

    def accepts(self, content_type: str) -> bool:
        return content_type in self.header(b"accept")


@lru_cache(maxsize=256)
def _host_name(header: str) -> str:
    """The name in a Host header, which the middleware has checked; clients send few of them."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
