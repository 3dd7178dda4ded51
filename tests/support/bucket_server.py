"""An HTTP bucket that checks signatures like the real one, implemented independently of ours.

Follows the description of Signature Version 4 step by step.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<day>\d{8})/(?P<region>[^/]+)/s3/aws4_request,"
    r"\s*SignedHeaders=(?P<names>[a-z0-9;-]+),\s*Signature=(?P<signature>[0-9a-f]{64})"
)
_ALLOWED_SKEW_SECONDS = 900


@dataclass
class BucketServer:
    """An ASGI application; what is put into it stays in memory."""

    access_key: str = "the access key"
    secret_key: str = "the/secret+key"
    region: str = "eu-central-1"
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    objects: dict[str, bytes] = field(default_factory=dict)
    written_at: dict[str, datetime] = field(default_factory=dict)
    """When each object was last written."""
    page: int = 1_000
    """How many objects one response lists at most."""
    refuses_everything: bool = False
    ignores_ranges: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        body = await request.body()
        if self.refuses_everything or not self._is_genuine(request, body):
            return Response("<Error><Code>SignatureDoesNotMatch</Code></Error>", 403)
        path = request.url.path
        match request.method:
            case "PUT":
                if request.headers.get("content-length") != str(len(body)):
                    return Response("<Error><Code>MissingContentLength</Code></Error>", 411)
                self.objects[path] = body
                self.written_at[path] = self.now
                return Response()
            case "GET" if "list-type" in request.query_params or path in self.objects:
                is_listing = "list-type" in request.query_params
                return Response(self._list(request)) if is_listing else self._get(request)
            case "DELETE":
                self.objects.pop(path, None)
                return Response(status_code=204)
            case _:
                return Response("<Error><Code>NoSuchKey</Code></Error>", 404)

    def _get(self, request: Request) -> Response:
        content = self.objects[request.url.path]
        part = request.headers.get("range")
        if part is None or self.ignores_ranges:
            return Response(content)
        first, last = (int(end) for end in part.removeprefix("bytes=").split("-"))
        place = {"content-range": f"bytes {first}-{last}/{len(content)}"}
        return Response(content[first : last + 1], 206, place)

    def _list(self, request: Request) -> str:
        folder = request.url.path
        start = folder + request.query_params["start-after"]
        most = min(self.page, int(request.query_params["max-keys"]))
        listed = sorted(path for path in self.objects if path > start)[:most]
        contents = "".join(
            f"<Contents><Key>{path.removeprefix(folder)}</Key><LastModified>"
            f"{self.written_at[path]:%Y-%m-%dT%H:%M:%S}.000Z</LastModified></Contents>"
            for path in listed
        )
        return f"<?xml version='1.0'?><ListBucketResult>{contents}</ListBucketResult>"

    def _is_genuine(self, request: Request, body: bytes) -> bool:
        claims = _AUTHORIZATION.fullmatch(request.headers.get("authorization", ""))
        digest = hashlib.sha256(body).hexdigest()
        if claims is None or request.headers.get("x-amz-content-sha256") != digest:
            return False
        if (claims["key"], claims["region"]) != (self.access_key, self.region):
            return False
        names = claims["names"].split(";")
        if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names):
            return False
        moment = request.headers["x-amz-date"]
        sent_at = datetime.strptime(moment, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if abs((self.now - sent_at).total_seconds()) > _ALLOWED_SKEW_SECONDS:
            return False
        pairs = sorted(request.query_params.items())
        query = "&".join(
            f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in pairs
        )
        canonical = f"{request.method}\n{quote(request.url.path, safe='/~')}\n{query}\n"
        for name in names:
            canonical += f"{name}:{request.headers[name].strip()}\n"
        canonical += f"\n{claims['names']}\n{digest}"
        scope = f"{claims['day']}/{self.region}/s3/aws4_request"
        to_sign = (
            f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n"
            + hashlib.sha256(canonical.encode()).hexdigest()
        )
        day = hmac.new(b"AWS4" + self.secret_key.encode(), claims["day"].encode(), "sha256")
        region = hmac.new(day.digest(), self.region.encode(), "sha256")
        service = hmac.new(region.digest(), b"s3", "sha256")
        signing = hmac.new(service.digest(), b"aws4_request", "sha256")
        expected = hmac.new(signing.digest(), to_sign.encode(), "sha256").hexdigest()
        return expected == claims["signature"]
