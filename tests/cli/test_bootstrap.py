"""The first organization: an owner and a channel, also if several processes start together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from chatapi.auth.context import RealmContext
from chatapi.cli.bootstrap import InitialOwner, create_first_organization
from chatapi.cli.operator import open_runtime
from chatapi.core.clock import SystemClock
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.features.realm import create_organization
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.users import NewUser, add_user
from chatapi.features.users.repository import UserRepository
from tests.support.apps import running_app

NEWEST: dict[str, str | int] = {"anchor": "newest", "num_before": 10, "num_after": 0}
GENERAL = '[["channel", "general"]]'


@asynccontextmanager
async def client_of(
    settings: Settings, email: str, api_key: str
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that starts on this database."""
    async with (
        running_app(settings, SystemClock()) as app,
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://localhost/api/v1",
            auth=(email, api_key),
        ) as http,
    ):
        yield http


async def answer(sent: Awaitable[httpx.Response]) -> Any:
    response = await sent
    assert response.status_code == 200, response.text
    return response.json()


async def test_is_created_by_exactly_one(settings: Settings) -> None:
    async with open_runtime(settings) as one, open_runtime(settings) as other:
        owners = await asyncio.gather(
            *(create_first_organization(runtime) for runtime in (one, other, one, other))
        )
        assert len([owner for owner in owners if owner is not None]) == 1
        async with one.begin().db as db:
            (realm,) = await RealmRepository(db).list_all()
            (user,) = await UserRepository(db, realm.id).list_all()
    assert user.delivery_email == settings.first_owner_email


class TestFirstChannel:
    """What a client sees right after the first start."""

    @pytest.fixture
    async def owner(self, settings: Settings) -> InitialOwner:
        async with open_runtime(settings) as runtime:
            owner = await create_first_organization(runtime)
        assert owner is not None
        return owner

    async def test_owner_is_subscribed_to_general(
        self, owner: InitialOwner, settings: Settings
    ) -> None:
        async with client_of(settings, owner.email, owner.api_key) as http:
            [channel] = (await answer(http.get("/users/me/subscriptions")))["subscriptions"]
        assert channel["name"] == "general"
        assert channel["subscriber_count"] == 1

    async def test_owner_has_an_unread_welcome_message(
        self, owner: InitialOwner, settings: Settings
    ) -> None:
        async with client_of(settings, owner.email, owner.api_key) as http:
            [message] = (await answer(http.get("/messages", params=NEWEST)))["messages"]
        assert (message["display_recipient"], message["subject"]) == ("general", "welcome")
        assert "<p>Welcome!" in message["content"]
        assert message["flags"] == []

    async def test_later_users_join_general(self, owner: InitialOwner, settings: Settings) -> None:
        new = {"email": "ada@example.com", "password": "correct horse", "full_name": "Ada"}
        async with client_of(settings, owner.email, owner.api_key) as http:
            await answer(http.post("/users", json=new))
            channel = (await answer(http.get("/users/me/subscriptions")))["subscriptions"][0]
        assert channel["subscriber_count"] == 2


async def test_later_organization_begins_with_general_for_its_first_user(
    settings: Settings,
) -> None:
    async with open_runtime(settings) as runtime:
        realm = await create_organization(runtime, "Acme")
        async with runtime.begin() as work:
            ctx = RealmContext.without_request(runtime, work, realm)
            user = await add_user(ctx, NewUser("ada@example.com", "Ada", Role.OWNER))
    in_general = {**NEWEST, "narrow": GENERAL}
    async with client_of(settings, "ada@example.com", user.api_key) as http:
        [channel] = (await answer(http.get("/users/me/subscriptions")))["subscriptions"]
        [message] = (await answer(http.get("/messages", params=in_general)))["messages"]
    assert channel["name"] == "general"
    assert message["subject"] == "welcome"
