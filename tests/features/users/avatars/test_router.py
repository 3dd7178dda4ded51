"""POST and DELETE of /users/me/avatar, /avatar, and pictures of bots."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.jobs.orphaned_files import remove_orphaned_files
from tests.factories import MakeUser, Person
from tests.features.emoji.pictures import picture
from tests.features.messages.fetch.conversations import send_direct, show
from tests.features.realm.settings import change_realm
from tests.features.users.avatars.pictures import (
    opened,
    redirected,
    try_upload_avatar,
    upload_avatar,
)
from tests.features.users.people import gravatar, made_up_email, user_seen_by
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until


async def avatars_in_events(listener: Any) -> list[dict[str, Any]]:
    events = await listener.new_events()
    return [event["person"] for event in events if "avatar_source" in event.get("person", {})]


@pytest.mark.any_database
class TestUpload:
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await try_upload_avatar(client, None), "UNAUTHORIZED", 401)

    async def test_picture_is_drawn_in_two_sizes_and_emitted(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, owner, event_types=["realm_user"])
        url = await upload_avatar(client, member, picture("JPEG", (640, 320)))
        medium = url.replace("avatar.png", "avatar-medium.png")
        assert (await opened(client, url)).size == (100, 100)
        assert (await opened(client, medium)).size == (500, 500)
        [person] = await avatars_in_events(listener)
        assert person == {
            "user_id": member.user_id,
            "avatar_source": "U",
            "avatar_url": url,
            "avatar_url_medium": medium,
            "avatar_version": 2,
        }

    async def test_picture_is_in_every_payload_of_the_user(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message = await send_direct(client, member, owner)
        url = await upload_avatar(client, member)
        assert (await user_seen_by(client, member, owner))["avatar_url"] == url
        assert (await user_seen_by(client, member, owner))["avatar_version"] == 2
        assert (await client.get("/users/me", member))["avatar_url"] == url
        assert (await show(client, owner, message))["avatar_url"] == url
        state = (await listen(client, member)).state
        assert (state["avatar_source"], state["avatar_url"]) == ("U", url)
        assert state["avatar_url_medium"] == url.replace("avatar.png", "avatar-medium.png")

    async def test_event_of_new_message_has_the_picture(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        url = await upload_avatar(client, member)
        listener = await listen(client, owner, event_types=["message"])
        await send_direct(client, member, owner)
        [event] = await listener.new_events()
        assert event["message"]["avatar_url"] == url

    async def test_new_picture_replaces_the_file_of_the_old_one(
        self, client: ApiClient, member: Person
    ) -> None:
        first = await upload_avatar(client, member)
        second = await upload_avatar(client, member)
        assert first != second
        assert (await client.http.get(first)).status_code == 404
        assert (await client.http.get(second)).status_code == 200

    @pytest.mark.parametrize(
        ("content", "code", "message"),
        [
            (b"", "BAD_IMAGE", "Invalid image format"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "BAD_IMAGE", "Invalid image format"),
            (picture()[:60], "BAD_IMAGE", "The image could not be read"),
            (picture(size=(5000, 4000)), "BAD_IMAGE", "The image has too many pixels"),
            (b"\x00" * (5 * 1024 * 1024 + 1), "BAD_REQUEST", "allowed limit of 5 MiB"),
        ],
        ids=["empty", "svg", "cut", "wide", "heavy"],
    )
    async def test_bad_picture_is_refused_and_changes_nothing(
        self, client: ApiClient, member: Person, content: bytes, code: str, message: str
    ) -> None:
        refusal = assert_error(await try_upload_avatar(client, member, content), code)
        assert message in refusal
        assert (await client.get("/users/me", member))["avatar_version"] == 1

    async def test_missing_file_is_named(self, client: ApiClient, member: Person) -> None:
        assert "file" in assert_error(await client.post("/users/me/avatar", member))

    async def test_only_administrators_may_where_changes_are_disabled(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await change_realm(client, owner, avatar_changes_disabled=True)
        refusal = assert_error(await try_upload_avatar(client, member))
        assert refusal == "Avatar changes are disabled in this organization."
        assert assert_error(await client.delete("/users/me/avatar", member)) == refusal
        await upload_avatar(client, owner)


class TestRemove:
    async def test_default_picture_returns(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        url = await upload_avatar(client, member)
        listener = await listen(client, owner, event_types=["realm_user"])
        answer = assert_success(await client.delete("/users/me/avatar", member))
        default = gravatar(member.email, version=3)
        assert answer == {"avatar_url": default}
        [person] = await avatars_in_events(listener)
        assert (person["avatar_source"], person["avatar_url"]) == ("G", default)
        assert (await client.http.get(url)).status_code == 404

    async def test_without_a_picture_nothing_changes(
        self, client: ApiClient, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["realm_user"])
        answer = assert_success(await client.delete("/users/me/avatar", member))
        assert answer == {"avatar_url": gravatar(member.email)}
        assert await listener.new_events() == []


@pytest.mark.any_database
class TestDrawnDefault:
    async def test_pictures_are_our_own_where_gravatar_is_switched_off(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        person = await make_user(full_name="Ada Lovelace")
        before = await listen(client, owner)
        await change_realm(client, owner, default_avatar_source="J")
        assert_error(await before.poll(dont_block=True), "BAD_EVENT_QUEUE_ID", 400)
        seen = await user_seen_by(client, person, owner, client_gravatar=True)
        hue = person.user_id * 137 % 360
        assert seen["avatar_url"] == f"/user_avatars/default/{hue}/AL.png"
        state = (await listen(client, person)).state
        assert state["realm_default_avatar_source"] == state["avatar_source"] == "J"
        assert (await opened(client, state["avatar_url"])).size == (100, 100)
        assert (await opened(client, state["avatar_url_medium"])).size == (500, 500)

    async def test_event_of_new_user_has_the_drawn_picture(
        self, client: ApiClient, owner: Person
    ) -> None:
        await change_realm(client, owner, default_avatar_source="J")
        listener = await listen(client, owner, event_types=["realm_user"])
        new = {"email": "ada@example.com", "full_name": "Ada Lovelace", "password": "correct horse"}
        assert_success(await client.post("/users", owner, **new))
        [event] = await listener.new_events()
        assert event["op"] == "add"
        assert event["person"]["avatar_url"].endswith("/AL.png")

    async def test_new_name_has_a_new_picture(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        person = await make_user(full_name="Ada Lovelace")
        await change_realm(client, owner, default_avatar_source="J")
        listener = await listen(client, owner, event_types=["realm_user"])
        assert_success(await client.patch("/settings", person, full_name="Ada Byron"))
        [avatar] = await avatars_in_events(listener)
        seen = await user_seen_by(client, person, owner)
        assert avatar["avatar_url"] == seen["avatar_url"]
        assert seen["avatar_url"].endswith("/AB.png")

    @pytest.mark.any_database
    @pytest.mark.parametrize("name", ["7/A.png", "0/Q9.png", "359/_.png", "1/_-medium.png"])
    async def test_every_name_can_be_drawn(
        self, client: ApiClient, realm: RealmRecord, name: str
    ) -> None:
        await opened(client, f"/user_avatars/default/{name}")

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "name", ["360/A.png", "-1/A.png", "7/ABC.png", "7/a.png", "7/%C3%89.png", "7/A.svg"]
    )
    async def test_other_names_are_not_drawn(
        self, client: ApiClient, realm: RealmRecord, name: str
    ) -> None:
        assert (await client.http.get(f"/user_avatars/default/{name}")).status_code == 404


@pytest.mark.any_database
class TestFind:
    async def test_redirects_to_the_picture(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        url = await upload_avatar(client, member)
        for reference in (member.user_id, member.email):
            found = await redirected(client, owner, f"/avatar/{reference}")
            assert (found.status_code, found.headers["location"]) == (302, url)
        medium = await redirected(client, owner, f"/avatar/{member.user_id}/medium")
        assert medium.headers["location"] == url.replace("avatar.png", "avatar-medium.png")

    async def test_hidden_address_is_not_hashed(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        assert_success(await client.patch("/settings", member, email_address_visibility=4))
        found = await redirected(client, guest, f"/avatar/{member.user_id}")
        assert found.headers["location"] == gravatar(made_up_email(member))

    async def test_unknown_user_is_not_found(self, client: ApiClient, member: Person) -> None:
        for reference in ("999999", "nobody@example.com"):
            found = await redirected(client, member, f"/avatar/{reference}")
            assert found.status_code == 404

    async def test_visitors_need_public_access(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        path = f"/avatar/{member.user_id}"
        assert (await redirected(client, None, path)).status_code == 401
        await change_realm(client, owner, enable_spectator_access=True)
        found = await redirected(client, None, path)
        assert found.headers["location"] == gravatar(made_up_email(member))


@pytest.mark.any_database
class TestBots:
    async def test_bot_is_created_with_a_picture(self, client: ApiClient, member: Person) -> None:
        listener = await listen(client, member, event_types=["realm_user"])
        answer = assert_success(
            await client.call(
                "POST",
                "/bots",
                member,
                data={"full_name": "Weather", "short_name": "weather"},
                files={"file": ("bot.png", picture(), "image/png")},
            )
        )
        url = answer["avatar_url"]
        assert (await opened(client, url)).size == (100, 100)
        [avatar] = await avatars_in_events(listener)
        assert (avatar["user_id"], avatar["avatar_url"]) == (answer["user_id"], url)
        [bot] = (await client.get("/bots", member))["bots"]
        assert bot["avatar_url"] == url

    async def test_owner_changes_the_picture_and_others_may_not(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        created = await client.post("/bots", member, full_name="Weather", short_name="weather")
        bot_id = assert_success(created)["user_id"]
        files = {"file": ("bot.png", picture(), "image/png")}
        path = f"/bots/{bot_id}"
        assert_error(await client.call("PATCH", path, guest, files=files))
        assert_success(await client.call("PATCH", path, member, files=files))
        [bot] = (await client.get("/bots", member))["bots"]
        assert bot["avatar_url"].startswith("/user_avatars/")

    async def test_bad_picture_creates_no_bot(self, client: ApiClient, member: Person) -> None:
        answer = await client.call(
            "POST",
            "/bots",
            member,
            data={"full_name": "Weather", "short_name": "weather"},
            files={"file": ("bot.png", b"no image", "image/png")},
        )
        assert_error(answer, "BAD_IMAGE")
        assert (await client.get("/bots", member))["bots"] == []


async def test_orphan_job_keeps_pictures_that_users_have(
    client: ApiClient, runtime: Runtime, member: Person, clock: MovableClock
) -> None:
    url = await upload_avatar(client, member)
    clock.advance(days=3)
    await remove_orphaned_files(runtime)
    assert (await opened(client, url)).size == (100, 100)
    assert (await opened(client, url.replace(".png", "-medium.png"))).size == (500, 500)


async def test_files_of_removed_picture_are_deleted(
    client: ApiClient, runtime: Runtime, member: Person
) -> None:
    await upload_avatar(client, member)
    folder = runtime.settings.uploads_dir
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 2
    assert_success(await client.delete("/users/me/avatar", member))
    await until(lambda: not [path for path in folder.rglob("*") if path.is_file()])
