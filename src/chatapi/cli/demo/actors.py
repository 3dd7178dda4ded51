"""People of the demo as clients of the API: what they do is checked and told like everything."""

import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.auth.runtime import Runtime
from chatapi.auth.users import UserRecord
from chatapi.cli.errors import CommandFailedError
from chatapi.cli.operator import organization
from chatapi.core.ids import UserId
from chatapi.features.users import add_api_key, list_api_keys, revoke_api_key
from chatapi.main import create_app

if TYPE_CHECKING:
    import httpx

_KEY_NAME = "chatapi demo"
_OK = 200


class StageClock:
    """The time at which the people act."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


class Actor(Struct, frozen=True):
    """A user, and a client of theirs."""

    user: UserRecord
    http: "httpx.AsyncClient"

    async def call(
        self, method: str, path: str, files: Mapping[str, Any] | None = None, **params: object
    ) -> dict[str, Any]:
        """Send a request that must succeed, and return its response."""
        body = None if files is not None or method == "GET" else params
        response = await self.http.request(method, path, files=files, json=body)
        answer: dict[str, Any] = response.json()
        if response.status_code != _OK:
            raise CommandFailedError(f"{method} {path}: {answer['msg']}")
        return answer

    async def post(self, path: str, **params: object) -> dict[str, Any]:
        return await self.call("POST", path, None, **params)


@asynccontextmanager
async def acting(
    runtime: Runtime, org: str | None, users: list[UserRecord], clock: StageClock
) -> AsyncGenerator[list[Actor], None]:
    """Start a server in this process, and log the users in with keys that end with the block."""
    # Imported only if used: the client takes some megabytes of memory.
    import httpx  # noqa: PLC0415

    # It writes a line for each request.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    settings = runtime.settings.model_copy(update={"rate_limits": "off", "metrics": "off"})
    app = create_app(settings, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        actors = []
        for user in users:
            async with organization(runtime, org) as ctx:
                key = await add_api_key(ctx, user, _KEY_NAME)
            client = httpx.AsyncClient(
                transport=httpx.ASGITransport(app),
                base_url=f"http://{ctx.realm.host(settings.root_domain)}/api/v1",
                auth=(user.delivery_email, key),
                headers={"User-Agent": _KEY_NAME},
            )
            actors.append(Actor(user, await stack.enter_async_context(client)))
        try:
            yield actors
        finally:
            for user in users:
                async with organization(runtime, org) as ctx:
                    await _revoke(ctx, user.id)


async def _revoke(ctx: RealmContext, user_id: UserId) -> None:
    for key in await list_api_keys(ctx, user_id):
        if key.name == _KEY_NAME:
            await revoke_api_key(ctx, user_id, key.id)
