"""Uploading and opening files, as clients do it."""

from typing import Any

import httpx

from chatapi.auth.runtime import Runtime
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth
from tests.support.responses import ApiResponse, assert_success

HELLO = b"Hello, world"


async def try_upload(client: ApiClient, person: Person | None, **request: Any) -> ApiResponse:
    return await client.call("POST", "/user_uploads", person, **request)


async def upload(
    client: ApiClient,
    person: Person,
    name: str = "hello.txt",
    content: bytes = HELLO,
    content_type: str = "text/plain",
) -> str:
    """Upload a file, and return its address."""
    answer = await try_upload(client, person, files={"any name": (name, content, content_type)})
    url = assert_success(answer)["url"]
    assert isinstance(url, str)
    return url


async def open_file(client: ApiClient, person: Person | None, url: str) -> httpx.Response:
    return await client.http.get(url, auth=basic_auth(person))


async def is_open_to(client: ApiClient, person: Person | None, url: str) -> bool:
    """Whether a user can open the file; a refusal does not reveal whether it exists."""
    response = await open_file(client, person, url)
    if response.status_code == 200:
        return True
    refusal = (404, "NOT_FOUND") if person else (401, "UNAUTHORIZED")
    assert (response.status_code, response.json()["code"]) == refusal
    return False


async def send_to_channel(client: ApiClient, person: Person, channel: str, content: str) -> int:
    message = {"type": "channel", "to": channel, "topic": "files", "content": content}
    sent = assert_success(await client.post("/messages", person, **message))
    assert isinstance(sent["id"], int)
    return sent["id"]


async def send_to_person(client: ApiClient, person: Person, to: Person, content: str) -> int:
    message = {"type": "direct", "to": [to.user_id], "content": content}
    sent = assert_success(await client.post("/messages", person, **message))
    assert isinstance(sent["id"], int)
    return sent["id"]


async def attachments_of(client: ApiClient, person: Person) -> dict[str, Any]:
    return assert_success(await client.get("/attachments", person))


async def delete_file(client: ApiClient, person: Person) -> None:
    """Delete the only file of a user."""
    [attachment] = (await attachments_of(client, person))["attachments"]
    assert_success(await client.delete(f"/attachments/{attachment['id']}", person))


def stored_files(runtime: Runtime) -> list[str]:
    """The names of all files in the store, which is a folder."""
    folder = runtime.settings.uploads_dir
    return [path.name for path in folder.rglob("*") if path.is_file()]
