"""Access to files, and the headers of the responses."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from tests import factories
from tests.factories import MakeChannel, Person
from tests.features.realm.settings import change_realm
from tests.features.uploads.files import (
    HELLO,
    attachments_of,
    is_open_to,
    open_file,
    send_to_channel,
    send_to_person,
    upload,
)
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.unsubscribing import unsubscribe


@pytest.mark.any_database
class TestPermissionToOpen:
    async def test_unlinked_file_is_readable_by_its_owner_only(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        url = await upload(client, member)
        assert await is_open_to(client, member, url)
        assert not await is_open_to(client, owner, url)
        assert not await is_open_to(client, None, url)

    async def test_linked_file_is_readable_with_the_message(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        await make_channel("general", subscribers=[owner, member])
        url = await upload(client, member)
        await send_to_channel(client, member, "general", f"[file]({url})")
        assert await is_open_to(client, owner, url)
        assert not await is_open_to(client, guest, url)
        assert not await is_open_to(client, None, url)

    async def test_participants_of_a_direct_message(
        self, client: ApiClient, owner: Person, admin: Person, member: Person
    ) -> None:
        url = await upload(client, member)
        await send_to_person(client, member, admin, f"See http://localhost{url} please")
        assert await is_open_to(client, admin, url)
        assert not await is_open_to(client, owner, url)

    async def test_not_former_subscribers_of_a_private_channel(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[owner, member])
        url = await upload(client, owner)
        await send_to_channel(client, owner, "secret", f"[file]({url})")
        assert await is_open_to(client, member, url)
        await unsubscribe(runtime, realm, member, secret)
        assert not await is_open_to(client, member, url)

    async def test_not_messages_before_subscribing_with_protected_history(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        admin: Person,
        member: Person,
    ) -> None:
        await make_channel(
            "secret",
            invite_only=True,
            history_public_to_subscribers=False,
            subscribers=[owner, admin],
        )
        url = await upload(client, owner)
        await send_to_channel(client, owner, "secret", f"[file]({url})")
        invited = {"subscriptions": [{"name": "secret"}], "principals": [member.user_id]}
        assert_success(await client.post("/users/me/subscriptions", owner, **invited))
        assert await is_open_to(client, admin, url)
        assert not await is_open_to(client, member, url)

    async def test_linking_a_hidden_file_gives_no_access(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        admin: Person,
        member: Person,
    ) -> None:
        await make_channel("general", subscribers=[owner, admin, member])
        url = await upload(client, owner)
        await send_to_channel(client, member, "general", f"[mine now]({url})")
        assert not await is_open_to(client, member, url)
        assert not await is_open_to(client, admin, url)
        [attachment] = (await attachments_of(client, owner))["attachments"]
        assert attachment["message_ids"] == []

    async def test_reader_of_a_file_can_link_it_again(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        admin: Person,
        member: Person,
    ) -> None:
        await make_channel("general", subscribers=[owner, admin, member])
        url = await upload(client, owner)
        first = await send_to_person(client, owner, member, f"[file]({url})")
        assert not await is_open_to(client, admin, url)
        second = await send_to_channel(client, member, "general", f"[file]({url})")
        assert await is_open_to(client, admin, url)
        [attachment] = (await attachments_of(client, owner))["attachments"]
        assert attachment["message_ids"] == [first, second]

    async def test_files_of_other_realms_are_unknown(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        url = await upload(client, member)
        await send_to_person(client, member, member, f"[file]({url})")
        other_realm = await factories.make_realm(runtime, "Other", "other")
        stranger = await factories.make_user(runtime, other_realm)
        elsewhere = ApiClient(client.http._transport.app, "other.localhost")  # type: ignore[attr-defined]
        assert not await is_open_to(elsewhere, stranger, url)
        as_if_theirs = url.replace(f"/{realm.id}/", f"/{other_realm.id}/", 1)
        assert not await is_open_to(elsewhere, stranger, as_if_theirs)
        await send_to_person(elsewhere, stranger, stranger, f"[file]({url})")
        assert not await is_open_to(elsewhere, stranger, url)
        await elsewhere.aclose()

    async def test_anonymous_readers_in_web_public_channels(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        await change_realm(client, owner, enable_spectator_access=True)
        await make_channel("open", is_web_public=True, subscribers=[owner])
        url = await upload(client, owner)
        await send_to_channel(client, owner, "open", f"[file]({url})")
        assert await is_open_to(client, None, url)
        await change_realm(client, owner, enable_spectator_access=False)
        assert not await is_open_to(client, None, url)

    async def test_wrong_credentials_are_refused(self, client: ApiClient, member: Person) -> None:
        url = await upload(client, member)
        impostor = Person(member.user_id, member.email, "not the key")
        assert (await open_file(client, impostor, url)).status_code == 401

    @pytest.mark.parametrize(
        "change",
        [
            lambda url: url + "x",
            lambda url: url.rpartition("/")[0] + "/other.txt",
            lambda url: url.rpartition("/")[0] + "/..%2f..%2fchatapi.sqlite3",
            lambda url: url.rpartition("/")[0] + "/%00",
            lambda _url: "/user_uploads/1/../../chatapi.sqlite3",
            lambda _url: "/user_uploads/1/%2e%2e/%2e%2e/chatapi.sqlite3",
            lambda _url: "/user_uploads/temporary/1.9999999999.abc/hello.txt",
            lambda _url: "/user_uploads/temporary/1.9999999999.ä/hello.txt",
            lambda _url: "/user_uploads/temporary/nonsense/hello.txt",
        ],
    )
    async def test_unknown_paths_are_not_found(
        self, client: ApiClient, member: Person, change: Any
    ) -> None:
        url = change(await upload(client, member))
        response = await open_file(client, member, url)
        assert response.status_code in {400, 404}
        assert response.json()["result"] == "error"

    async def test_file_with_lost_content_is_not_found(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        url = await upload(client, member)
        key = url.removeprefix("/user_uploads/").rpartition("/")[0]
        await runtime.files.store.delete(key)
        assert not await is_open_to(client, member, url)


@pytest.mark.any_database
class TestClaims:
    async def test_owner_gets_an_event(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        await make_channel("general", subscribers=[owner])
        url = await upload(client, owner)
        listener = await listen(client, owner, event_types=["attachment"])
        message_id = await send_to_channel(client, owner, "general", f"[file]({url}) [two]({url})")
        [event] = await listener.new_events()
        assert event["op"] == "update"
        assert event["attachment"]["message_ids"] == [message_id]
        assert event["upload_space_used"] == len(HELLO)

    async def test_messages_the_owner_may_not_see_are_not_listed(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        await make_channel("general", subscribers=[owner, member])
        await make_channel("secret", subscribers=[owner], invite_only=True)
        url = await upload(client, member)
        shown = await send_to_channel(client, member, "general", f"[file]({url})")
        listener = await listen(client, member, event_types=["attachment"])
        await send_to_channel(client, owner, "secret", f"[file]({url})")
        [event] = await listener.new_events()
        assert event["attachment"]["message_ids"] == [shown]
        [attachment] = (await attachments_of(client, member))["attachments"]
        assert attachment["message_ids"] == [shown]
        assert_success(await client.delete(f"/messages/{shown}", owner))
        [event] = await listener.new_events()
        assert event["attachment"]["message_ids"] == []

    async def test_names_in_any_script(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        await make_channel("general", subscribers=[owner, member])
        url = await upload(client, owner, "Üb er_sicht—日本.txt")
        await send_to_channel(client, owner, "general", f"[file]({url})")
        assert await is_open_to(client, member, url)


class TestHeaders:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("content_type", "shown", "disposition"),
        [
            ("image/png", "image/png", "inline"),
            ("IMAGE/PNG; x=y", "image/png", "inline"),
            ("text/plain", "text/plain; charset=utf-8", "inline"),
            ("video/mp4", "video/mp4", "inline"),
            ("video/webm; codecs=vp9", "video/webm", "inline"),
            ("audio/mpeg", "audio/mpeg", "inline"),
            ("audio/x-m4a", "audio/mp4", "inline"),
            ("video/quicktime", "application/octet-stream", "attachment"),
            ("audio/midi", "application/octet-stream", "attachment"),
            ("application/octet-stream", "application/octet-stream", "attachment"),
            ("text/html", "application/octet-stream", "attachment"),
            ("image/svg+xml", "application/octet-stream", "attachment"),
            ("application/pdf", "application/octet-stream", "attachment"),
            ("application/xhtml+xml", "application/octet-stream", "attachment"),
            ("text/javascript", "application/octet-stream", "attachment"),
            ("nonsense", "application/octet-stream", "attachment"),
        ],
    )
    async def test_files_cannot_run_scripts(
        self, client: ApiClient, member: Person, content_type: str, shown: str, disposition: str
    ) -> None:
        url = await upload(client, member, "x.html", b"<script>alert(1)</script>", content_type)
        headers = (await open_file(client, member, url)).headers
        assert headers["content-type"] == shown
        assert headers["content-disposition"] == f"{disposition}; filename*=UTF-8''x.html"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("sandbox; default-src 'none';")
        assert headers["cache-control"] == "no-store, private"

    @pytest.mark.any_database
    async def test_names_cannot_inject_headers(self, client: ApiClient, member: Person) -> None:
        url = await upload(client, member, "a; x='y' ü.txt")
        headers = (await open_file(client, member, url)).headers
        expected = "inline; filename*=UTF-8''a%3B%20x%3D%27y%27%20%C3%BC.txt"
        assert headers["content-disposition"] == expected


class TestTemporaryAddress:
    async def test_opens_without_credentials_for_a_minute(
        self, client: ApiClient, clock: MovableClock, member: Person
    ) -> None:
        url = await upload(client, member)
        temporary = assert_success(await client.get(url, member))["url"]
        response = await open_file(client, None, temporary)
        assert response.content == HELLO
        clock.advance(seconds=60)
        assert (await open_file(client, None, temporary)).status_code == 200
        clock.advance(seconds=1)
        assert (await open_file(client, None, temporary)).status_code == 404

    @pytest.mark.any_database
    async def test_is_valid_for_one_file_only(self, client: ApiClient, member: Person) -> None:
        first = await upload(client, member)
        second = await upload(client, member)
        links = [
            assert_success(await client.get(url, member))["url"].split("/")[3]
            for url in (first, second)
        ]
        mixed = ".".join([links[1].split(".")[0], *links[0].split(".")[1:]])
        response = await open_file(client, None, f"/user_uploads/temporary/{mixed}/hello.txt")
        assert response.status_code == 404

    @pytest.mark.any_database
    async def test_needs_access_to_the_file(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        url = await upload(client, member)
        assert_error(await client.get(url, owner), "NOT_FOUND", 404)
        assert_error(await client.get(url), "UNAUTHORIZED", 401)
