"""Presence is cached for all who ask for it, and what they get is as if it were not."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from tests.factories import Person
from tests.features.users.presence.pinging import ping, ping_slim
from tests.support.account_changes import deactivate
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements


@dataclass(frozen=True)
class Scene:
    """Two users who were seen, and what can happen to one of them."""

    client: ApiClient
    clock: MovableClock
    runtime: Runtime
    realm: RealmRecord
    owner: Person
    other: Person
    member: Person

    async def set(self, **settings: object) -> None:
        assert_success(await self.client.patch("/settings", self.other, **settings))


@pytest.fixture
def scene(
    client: ApiClient,
    clock: MovableClock,
    runtime: Runtime,
    realm: RealmRecord,
    owner: Person,
    admin: Person,
    member: Person,
) -> Scene:
    return Scene(client, clock, runtime, realm, owner, admin, member)


async def pings_later(scene: Scene) -> None:
    scene.clock.advance(minutes=5)
    await ping(scene.client, scene.other, status="idle")


async def is_away(scene: Scene) -> None:
    scene.clock.advance(days=15)
    await ping(scene.client, scene.member)


async def hides(scene: Scene) -> None:
    await scene.set(presence_enabled=False)


async def hid_for_a_while(scene: Scene) -> None:
    await scene.set(presence_enabled=False)
    await everywhere(scene)
    scene.clock.advance(minutes=5)
    await scene.set(presence_enabled=True)


async def hides_their_address(scene: Scene) -> None:
    await scene.set(email_address_visibility=5)


async def is_deactivated(scene: Scene) -> None:
    await deactivate(scene.runtime, scene.realm, scene.other)


async def is_reactivated(scene: Scene) -> None:
    await deactivate(scene.runtime, scene.realm, scene.other)
    await everywhere(scene)
    scene.clock.advance(minutes=5)
    path = f"/users/{scene.other.user_id}/reactivate"
    assert_success(await scene.client.post(path, scene.owner))


async def is_seen_half_a_minute_later(scene: Scene) -> None:
    scene.clock.advance(seconds=31)
    await ping(scene.client, scene.other, ping_only=True)


CHANGES: tuple[Callable[[Scene], Awaitable[None]], ...] = (
    pings_later,
    is_away,
    hides,
    hid_for_a_while,
    hides_their_address,
    is_deactivated,
    is_reactivated,
    is_seen_half_a_minute_later,
)


async def everywhere(scene: Scene, client: ApiClient | None = None) -> list[dict[str, Any]]:
    """What a reader, who is there, gets by each endpoint, in both forms."""
    client, reader = client or scene.client, scene.member
    await ping(client, reader, ping_only=True)
    days = {"history_limit_days": 1}
    states = [
        assert_success(await client.post("/register", reader, slim_presence=slim))["presences"]
        for slim in (True, False)
    ]
    return [
        *states,
        assert_success(await client.get("/realm/presence", reader))["presences"],
        await ping_slim(client, reader),
        (await ping(client, reader))["presences"],
        (await ping(client, reader, **days))["presences"],
    ]


@pytest.mark.parametrize("change", CHANGES)
async def test_change_is_shown_at_once(
    scene: Scene, start_app: StartApp, change: Callable[[Scene], Awaitable[None]]
) -> None:
    """The same that a process gets which has nothing in memory."""
    for person in (scene.other, scene.member):
        await ping(scene.client, person)
    before = await everywhere(scene)
    await change(scene)
    after = await everywhere(scene)
    assert after != before
    assert await everywhere(scene, ApiClient(await start_app())) == after


async def test_presence_that_another_process_wrote_is_shown_at_once(
    scene: Scene, start_app: StartApp
) -> None:
    await ping(scene.client, scene.member)
    before = await everywhere(scene)
    other = ApiClient(await start_app())
    await ping(other, scene.other)
    after = await everywhere(scene, other)
    assert await everywhere(scene) == after != before


async def test_presence_of_all_is_read_once(scene: Scene) -> None:
    for person in (scene.other, scene.member):
        await ping(scene.client, person)
    await everywhere(scene)
    with recorded_statements(scene.runtime.database, "FROM account JOIN presence") as statements:
        await everywhere(scene)
    assert not statements


async def test_only_what_has_changed_is_read_later(scene: Scene) -> None:
    for person in (scene.other, scene.member):
        await ping(scene.client, person)
    await everywhere(scene)
    await pings_later(scene)
    with recorded_statements(scene.runtime.database, "FROM account JOIN presence") as statements:
        await everywhere(scene)
    [statement] = statements
    assert "update_id >" in statement


async def test_longer_time_than_usual_is_read_as_before(scene: Scene) -> None:
    await ping(scene.client, scene.other, ping_only=True)
    scene.clock.advance(days=20)
    await ping(scene.client, scene.member, ping_only=True)
    assert len(await ping_slim(scene.client, scene.member)) == 1
    assert len(await ping_slim(scene.client, scene.member, history_limit_days=30)) == 2
    assert len(await ping_slim(scene.client, scene.member)) == 1


async def test_clock_that_is_set_back_hides_nobody(scene: Scene) -> None:
    await ping(scene.client, scene.other, ping_only=True)
    scene.clock.advance(days=15)
    assert len(await ping_slim(scene.client, scene.member)) == 1
    scene.clock.advance(days=-10)
    assert set(await ping_slim(scene.client, scene.member)) >= {str(scene.other.user_id)}
