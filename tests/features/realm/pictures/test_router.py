"""POST and DELETE of /realm/icon and /realm/logo."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.jobs.orphaned_files import remove_orphaned_files
from tests.factories import Person
from tests.features.emoji.pictures import picture
from tests.features.realm.settings import change_realm
from tests.features.users.avatars.pictures import opened
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success

PICTURES = [("icon", "icon", {}), ("logo", "logo", {}), ("logo", "night_logo", {"night": "true"})]


async def try_upload(
    client: ApiClient,
    person: Person | None,
    path: str = "icon",
    content: bytes | None = None,
    **data: Any,
) -> ApiResponse:
    files = {"file": ("file.bin", picture() if content is None else content, "image/png")}
    return await client.call("POST", f"/realm/{path}", person, files=files, data=data)


async def realm_state(client: ApiClient, person: Person) -> dict[str, Any]:
    return (await listen(client, person, fetch_event_types=["realm"])).state


@pytest.mark.parametrize(("path", "name", "params"), PICTURES)
class TestEveryPicture:
    async def test_upload_is_emitted_and_in_the_state(
        self, client: ApiClient, admin: Person, member: Person, path: str, name: str, params: Any
    ) -> None:
        listener = await listen(client, member, event_types=["realm"])
        assert_success(
            await try_upload(client, admin, path, picture("JPEG", (1600, 400)), **params)
        )
        [event] = await listener.new_events()
        url = event["data"][f"{name}_url"]
        assert (event["type"], event["op"], event["property"]) == ("realm", "update_dict", name)
        assert event["data"] == {f"{name}_url": url, f"{name}_source": "U"}
        state = await realm_state(client, member)
        assert (state[f"realm_{name}_url"], state[f"realm_{name}_source"]) == (url, "U")
        assert (await opened(client, url)).size == ((100, 100) if name == "icon" else (400, 100))

    async def test_removal_returns_to_the_default(
        self, client: ApiClient, admin: Person, member: Person, path: str, name: str, params: Any
    ) -> None:
        before = await realm_state(client, member)
        assert_success(await try_upload(client, admin, path, **params))
        url = (await realm_state(client, member))[f"realm_{name}_url"]
        listener = await listen(client, member, event_types=["realm"])
        assert_success(await client.call("DELETE", f"/realm/{path}", admin, params=params))
        [event] = await listener.new_events()
        default = {f"{name}_{key}": before[f"realm_{name}_{key}"] for key in ("url", "source")}
        assert event["data"] == default
        assert (await client.http.get(url)).status_code == 404
        assert_success(await client.call("DELETE", f"/realm/{path}", admin, params=params))
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_only_administrators_may(
        self, client: ApiClient, member: Person, path: str, name: str, params: Any
    ) -> None:
        for answer in (
            await try_upload(client, member, path, **params),
            await client.call("DELETE", f"/realm/{path}", member, params=params),
        ):
            assert_error(answer, "UNAUTHORIZED_PRINCIPAL")

    @pytest.mark.any_database
    async def test_bad_image_is_refused_and_changes_nothing(
        self, client: ApiClient, admin: Person, path: str, name: str, params: Any
    ) -> None:
        before = await realm_state(client, admin)
        assert_error(await try_upload(client, admin, path, b"no image", **params), "BAD_IMAGE")
        large = b"\x00" * (5 * 1024 * 1024 + 1)
        refusal = assert_error(await try_upload(client, admin, path, large, **params))
        assert refusal == "Uploaded file is larger than the allowed limit of 5 MiB"
        assert "file" in assert_error(await client.post(f"/realm/{path}", admin))
        key = f"realm_{name}_url"
        assert (await realm_state(client, admin))[key] == before[key]


@pytest.mark.any_database
async def test_icon_is_in_the_server_settings(client: ApiClient, admin: Person) -> None:
    url = assert_success(await try_upload(client, admin))["icon_url"]
    assert (await client.get("/server_settings"))["realm_icon"] == url


@pytest.mark.any_database
async def test_default_is_drawn_where_gravatar_is_switched_off(
    client: ApiClient, owner: Person, realm: RealmRecord
) -> None:
    await change_realm(client, owner, default_avatar_source="J")
    state = await realm_state(client, owner)
    assert state["realm_icon_source"] == "J"
    assert state["realm_logo_source"] == "D"
    for name in ("icon", "logo", "night_logo"):
        assert (await opened(client, state[f"realm_{name}_url"])).size == (100, 100)


@pytest.mark.any_database
async def test_invalid_night_is_named(client: ApiClient, admin: Person) -> None:
    assert "night" in assert_error(await try_upload(client, admin, "logo", night="perhaps"))


async def test_orphan_job_keeps_pictures_of_the_organization(
    client: ApiClient, runtime: Runtime, admin: Person, clock: MovableClock
) -> None:
    url = assert_success(await try_upload(client, admin))["icon_url"]
    clock.advance(days=3)
    await remove_orphaned_files(runtime)
    assert (await opened(client, url)).size == (100, 100)
