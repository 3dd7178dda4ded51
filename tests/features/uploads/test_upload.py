"""POST /user_uploads, GET /attachments and DELETE /attachments/{attachment_id}."""

import re
from pathlib import Path
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from tests import factories
from tests.factories import Person
from tests.features.uploads.files import (
    HELLO,
    attachments_of,
    is_open_to,
    open_file,
    try_upload,
    upload,
)
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until

MIB = 1024 * 1024


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"max_file_upload_size_mib": 1, "upload_quota_mib": 2})


def stored_files(settings: Settings) -> list[Path]:
    return [path for path in (settings.data_dir / "uploads").rglob("*") if path.is_file()]


class TestUpload:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        answer = await try_upload(client, None, files={"file": ("a.txt", HELLO)})
        assert_error(answer, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_can_be_opened_again(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        files = {"/home/me/hello.txt": ("hello.txt", HELLO, "text/plain")}
        answer = assert_success(await try_upload(client, member, files=files))
        assert answer["url"] == answer["uri"]
        assert answer["filename"] == "hello.txt"
        assert re.fullmatch(
            rf"/user_uploads/{realm.id}/[\w-]{{2}}/[\w-]{{24}}/hello\.txt", answer["url"]
        )
        response = await open_file(client, member, answer["url"])
        assert response.content == HELLO
        assert response.headers["content-length"] == str(len(HELLO))

    @pytest.mark.any_database
    async def test_large_files_are_accepted(self, client: ApiClient, member: Person) -> None:
        content = bytes(range(256)) * (MIB // 256)
        url = await upload(client, member, "large.bin", content)
        assert (await open_file(client, member, url)).content == content

    @pytest.mark.any_database
    async def test_event_is_sent_to_the_owner_only(
        self, client: ApiClient, clock: MovableClock, admin: Person, member: Person
    ) -> None:
        listener, other = await listen(client, member), await listen(client, admin)
        url = await upload(client, member)
        [event] = await listener.new_events()
        attachment = {
            "id": event["attachment"]["id"],
            "name": "hello.txt",
            "path_id": url.removeprefix("/user_uploads/"),
            "size": len(HELLO),
            "create_time": int(clock.now().timestamp() * 1000),
            "message_ids": [],
        }
        assert event == {
            "id": event["id"],
            "type": "attachment",
            "op": "add",
            "attachment": attachment,
            "upload_space_used": len(HELLO),
        }
        assert await other.new_events() == []
        assert await attachments_of(client, member) == {
            "attachments": [attachment],
            "upload_space_used": len(HELLO),
        }
        assert (await attachments_of(client, admin))["attachments"] == []

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            ({"data": {"filename": "a.txt"}}, "Missing 'filename' argument"),
            ({}, "Missing 'filename' argument"),
            ({"files": {"file": ("a.txt", b"")}}, "filename: The file is empty"),
            (
                {"files": [("a", ("a.txt", HELLO)), ("a", ("b.txt", HELLO))]},
                "You may only upload one file at a time",
            ),
            (
                {
                    "content": b"--x\r\nContent-Disposition: form-data",
                    "headers": {"Content-Type": "multipart/form-data; boundary=x"},
                },
                "The request body is not complete multipart/form-data",
            ),
            (
                {"content": HELLO, "headers": {"Content-Type": "multipart/form-data"}},
                "The request body is not valid multipart/form-data",
            ),
        ],
    )
    async def test_refuses_anything_but_one_file(
        self,
        client: ApiClient,
        settings: Settings,
        member: Person,
        request_: dict[str, Any],
        message: str,
    ) -> None:
        assert assert_error(await try_upload(client, member, **request_)) == message
        assert stored_files(settings) == []

    @pytest.mark.any_database
    @pytest.mark.parametrize("announced", [True, False])
    @pytest.mark.parametrize("size", [MIB + 1, 5 * MIB])
    async def test_refuses_too_large_files(
        self, client: ApiClient, settings: Settings, member: Person, size: int, announced: bool
    ) -> None:
        answer = await try_upload(client, member, **large_request(size, announced=announced))
        assert_error(answer, "REQUEST_TOO_LARGE", 413, max_bytes=MIB)
        assert stored_files(settings) == []

    @pytest.mark.any_database
    async def test_refuses_files_over_the_quota(
        self, client: ApiClient, settings: Settings, member: Person, admin: Person
    ) -> None:
        await upload(client, member, content=b"x" * MIB)
        await upload(client, admin, content=b"x" * (MIB - 1))
        listener = await listen(client, member)
        assert listener.state["realm_upload_quota_mib"] == 2
        assert listener.state["max_file_upload_size_mib"] == 1
        answer = await try_upload(client, member, files={"a": ("a.txt", b"xx")})
        assert_error(answer, "REALM_UPLOAD_QUOTA")
        assert await listener.new_events() == []
        await upload(client, member, content=b"x")
        assert len(stored_files(settings)) == 3

    async def test_repeated_request_stores_one_file(
        self, client: ApiClient, settings: Settings, member: Person
    ) -> None:
        headers = {"Idempotency-Key": "the same"}
        first, again, other = [
            await try_upload(client, member, files={"a": ("a.txt", content)}, headers=headers)
            for content in (HELLO, HELLO, b"something else")
        ]
        assert assert_success(again) == assert_success(first)
        assert_error(other, "IDEMPOTENCY_KEY_REUSED")
        assert len(stored_files(settings)) == 1

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("name", "shown", "in_path"),
        [
            ("../../etc/passwd", "passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini", "boot.ini"),
            ("..", "..", "upload"),
            ("/", "upload", "upload"),
            ("my  photo (1).png", "my  photo (1).png", "my-photo-1.png"),
            ("résumé.pdf", "résumé.pdf", "résumé.pdf"),
            ("a%2F%2e%2e?b#c.txt", "a%2F%2e%2e?b#c.txt", "a2F2e2ebc.txt"),
            ("x" * 300 + ".txt", "x" * 251 + ".txt", "x" * 96 + ".txt"),
            (".htaccess", ".htaccess", "htaccess"),
        ],
    )
    async def test_hostile_names_are_harmless(
        self,
        client: ApiClient,
        settings: Settings,
        member: Person,
        name: str,
        shown: str,
        in_path: str,
    ) -> None:
        answer = await try_upload(client, member, files={"file": (name, HELLO)})
        uploaded = assert_success(answer)
        assert uploaded["filename"] == shown
        assert uploaded["url"].rpartition("/")[2] == in_path
        assert await is_open_to(client, member, uploaded["url"])
        [stored] = stored_files(settings)
        assert re.fullmatch(r"[\w-]{24}", stored.name)


def large_request(size: int, *, announced: bool) -> dict[str, Any]:
    head = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
    body = head + b"x" * size + b"\r\n--x--\r\n"

    async def pieces() -> Any:
        for start in range(0, len(body), 65536):
            yield body[start : start + 65536]

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    return {"content": body if announced else pieces(), "headers": headers}


@pytest.mark.any_database
class TestDelete:
    async def test_removes_row_and_bytes(
        self, client: ApiClient, settings: Settings, member: Person
    ) -> None:
        url = await upload(client, member)
        await upload(client, member, content=b"another one")
        attachment = (await attachments_of(client, member))["attachments"][0]
        listener = await listen(client, member)
        answer = await client.delete(f"/attachments/{attachment['id']}", member)
        assert assert_success(answer) == {}
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "attachment",
            "op": "remove",
            "attachment": {"id": attachment["id"]},
            "upload_space_used": len(b"another one"),
        }
        assert not await is_open_to(client, member, url)
        await until(lambda: len(stored_files(settings)) == 1)
        assert len((await attachments_of(client, member))["attachments"]) == 1

    async def test_files_of_others_are_unknown(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await upload(client, member)
        [attachment] = (await attachments_of(client, member))["attachments"]
        refused = await client.delete(f"/attachments/{attachment['id']}", owner)
        unknown = await client.delete("/attachments/4711", owner)
        assert refused.body == unknown.body
        assert assert_error(refused) == "Invalid attachment"

    async def test_files_of_other_realms_are_unknown(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        await upload(client, member)
        [attachment] = (await attachments_of(client, member))["attachments"]
        other_realm = await factories.make_realm(runtime, "Other", "other")
        stranger = await factories.make_user(runtime, other_realm)
        elsewhere = ApiClient(client.http._transport.app, "other.localhost")  # type: ignore[attr-defined]
        assert_error(await elsewhere.delete(f"/attachments/{attachment['id']}", stranger))
        await elsewhere.aclose()
