"""How long it takes from the upload of an image until its thumbnail can be opened."""

import asyncio
import io
import statistics
import time

import orjson
from PIL import Image

from benchmarks.http_client import Account, Connection, build_request

_BOUNDARY = "benchmark"
_MAX_SECONDS = 60
_LOOK_AGAIN_SECONDS = 0.005


def pictures() -> dict[str, bytes]:
    """What people upload."""
    frames = [Image.effect_noise((480, 270), 40 + number).convert("P") for number in range(30)]
    return {
        "a screenshot of 1280 x 800": _saved(_screenshot(), "PNG"),
        "a photo of 12 megapixels": _saved(_photo(), "JPEG", quality=90),
        "an animation of 30 frames": _saved(
            frames[0], "GIF", save_all=True, append_images=frames[1:]
        ),
    }


async def thumbnail_milliseconds(
    port: int, owner: Account, content: bytes, rounds: int
) -> tuple[float, float]:
    """The medians of the upload alone, and until there is a thumbnail; one upload at a time."""
    connection = await Connection.open(port)
    uploads: list[float] = []
    thumbnails: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        answer = orjson.loads(await connection.send(_upload(owner, content)))
        uploads.append(time.perf_counter() - started)
        path = answer["url"].removeprefix("/user_uploads/")
        status = build_request("GET", f"/api/v1/thumbnail/status/{path}", owner)
        async with asyncio.timeout(_MAX_SECONDS):
            while not orjson.loads(await connection.send(status))["has_thumbnail"]:  # noqa: ASYNC110 (the server is another process)
                await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        thumbnails.append(time.perf_counter() - started)
    connection.close()
    return statistics.median(uploads) * 1000, statistics.median(thumbnails) * 1000


def _upload(owner: Account, content: bytes) -> bytes:
    part = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="picture"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = part.encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode()
    head = (
        "POST /api/v1/user_uploads HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"{owner.header}Content-Type: multipart/form-data; boundary={_BOUNDARY}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _screenshot() -> Image.Image:
    image = Image.new("RGB", (1280, 800), "white")
    image.paste(Image.effect_noise((640, 400), 60), (100, 100))
    return image


def _photo() -> Image.Image:
    return Image.effect_noise((4000, 3000), 40).convert("RGB")


def _saved(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
