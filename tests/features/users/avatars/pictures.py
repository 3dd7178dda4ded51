"""Avatars in tests: uploaded and opened as clients do it."""

import io
from typing import Any

import httpx
from PIL import Image

from tests.factories import Person
from tests.features.emoji.pictures import picture
from tests.support.client import ApiClient, basic_auth
from tests.support.responses import ApiResponse, assert_success


async def try_upload_avatar(
    client: ApiClient, person: Person | None, content: bytes | None = None
) -> ApiResponse:
    files = {"file": ("me.bin", picture() if content is None else content, "image/png")}
    return await client.call("POST", "/users/me/avatar", person, files=files)


async def upload_avatar(client: ApiClient, person: Person, content: bytes | None = None) -> str:
    """Upload a picture; its address."""
    answer = assert_success(await try_upload_avatar(client, person, content))
    assert set(answer) == {"avatar_url"}
    url: str = answer["avatar_url"]
    return url


async def opened(client: ApiClient, url: str) -> Image.Image:
    """A public picture, opened without login."""
    response = await client.http.get(url)
    assert response.status_code == 200
    assert response.headers["content-type"] == "image/png"
    assert "immutable" in response.headers["cache-control"]
    return Image.open(io.BytesIO(response.content))


async def redirected(
    client: ApiClient, person: Person | None, path: str, **params: Any
) -> httpx.Response:
    return await client.http.get(path, auth=basic_auth(person), follow_redirects=False, **params)
