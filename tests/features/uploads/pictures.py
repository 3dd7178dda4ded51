"""Uploaded images in messages, as clients see them."""

from typing import Any

from chatapi.auth.runtime import Runtime
from chatapi.jobs.thumbnails import draw_next_thumbnail
from tests.factories import Person
from tests.features.emoji.pictures import picture
from tests.features.uploads.files import upload
from tests.support.client import ApiClient
from tests.support.responses import assert_success

STILL = "840x560.webp"
ANIMATED = "840x560-anim.webp"
REL = 'rel="noopener noreferrer nofollow"'


def stop_drawing(runtime: Runtime) -> None:
    """End the job of this process, so that a test draws when it wants."""
    runtime.thumbnails.close()


async def draw_all(runtime: Runtime) -> None:
    while await draw_next_thumbnail(runtime):
        pass


async def upload_picture(
    client: ApiClient, person: Person, content: bytes | None = None, name: str = "cat.png"
) -> str:
    """Upload an image; its address."""
    content = picture(size=(1000, 500)) if content is None else content
    return await upload(client, person, name, content, "image/png")


def thumbnail_of(url: str, name: str = STILL) -> str:
    return url.replace("/user_uploads/", "/user_uploads/thumbnail/") + f"/{name}"


def loading(url: str, size: str = "1000x500", kind: str = "image/png") -> str:
    return _preview(
        url,
        f'class="image-loading-placeholder" data-original-content-type="{kind}" '
        f'data-original-dimensions="{size}" src="/docs/assets/loader.svg"',
    )


def shown(url: str, size: str = "1000x500", kind: str = "image/png") -> str:
    return _preview(
        url,
        f'data-original-content-type="{kind}" data-original-dimensions="{size}" '
        f'src="{thumbnail_of(url)}"',
    )


def _preview(url: str, image: str) -> str:
    name = url.rpartition("/")[2]
    return (
        f'<div class="message_inline_image"><a href="{url}" title="{name}" {REL}>'
        f"<img {image}></a></div>"
    )


async def html_of(client: ApiClient, person: Person, message_id: int) -> str:
    shown = assert_success(await client.get(f"/messages/{message_id}", person))
    message: dict[str, Any] = shown["message"]
    content: str = message["content"]
    return content
