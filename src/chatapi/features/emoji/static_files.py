"""Files about emoji that are the same for every realm: names of all of them, and one image."""

import functools
import hashlib
import io
from collections.abc import Callable
from typing import TypeVar

import orjson
from msgspec import Struct

from chatapi.auth.runtime import Runtime
from chatapi.rendering import emoji_names_by_code

T = TypeVar("T")

NAMES_PATH = "/static/generated/emoji/emoji_api.{digest}.json"
EXTRA_EMOJI_PATH = "/static/generated/emoji/images/emoji/unicode/zulip.png"
"""Existing clients build this path themselves."""

_SIZE = 64
_SCALE = 4
"""Drawn larger first, so that edges become smooth."""
_BACKGROUND = (74, 104, 199, 255)
_BUBBLE = (255, 255, 255, 255)
_CLEAR = (0, 0, 0, 0)


class EmojiNamesFile(Struct, frozen=True):
    """The JSON file that clients read the names of emoji from."""

    content: bytes
    digest: str

    @property
    def path(self) -> str:
        """Its path, which changes with the content, so that clients may cache it for ever."""
        return NAMES_PATH.format(digest=self.digest)


async def emoji_names_file(runtime: Runtime) -> EmojiNamesFile:
    """The names of all Unicode emoji; built on first use."""
    return await _built_once(runtime, _build_names_file)


async def extra_emoji_file(runtime: Runtime) -> bytes:
    """The image of `:zulip:`, as PNG; drawn on first use."""
    return await _built_once(runtime, _draw_extra_emoji)


_built: dict[Callable[[], object], object] = {}


async def _built_once(runtime: Runtime, build: Callable[[], T]) -> T:
    """The result of a function that takes long the first time, which is then in a thread."""
    if build not in _built:
        _built[build] = await runtime.rendering_threads.run(build)
    return _built[build]  # type: ignore[return-value]  # stored under the function itself


def _build_names_file() -> EmojiNamesFile:
    names = {code: list(known) for code, known in emoji_names_by_code().items()}
    content = orjson.dumps({"code_to_names": names}, option=orjson.OPT_SORT_KEYS)
    return EmojiNamesFile(content, hashlib.sha256(content).hexdigest()[:16])


def _draw_extra_emoji() -> bytes:
    """A speech bubble with three dots on a round background."""
    # Imported here: it takes megabytes that a server without images does not need.
    from PIL import Image, ImageDraw  # noqa: PLC0415

    scaled = functools.partial(_scaled, _SIZE * _SCALE / 100)
    image = Image.new("RGBA", (_SIZE * _SCALE, _SIZE * _SCALE), _CLEAR)
    draw = ImageDraw.Draw(image)
    draw.ellipse(scaled(2, 2, 98, 98), fill=_BACKGROUND)
    draw.rounded_rectangle(scaled(22, 26, 78, 64), radius=scaled(12)[0], fill=_BUBBLE)
    draw.polygon(scaled(34, 60, 34, 80, 54, 60), fill=_BUBBLE)
    for centre in (36, 50, 64):
        draw.ellipse(scaled(centre - 4, 41, centre + 4, 49), fill=_BACKGROUND)
    stored = io.BytesIO()
    image.resize((_SIZE, _SIZE), Image.Resampling.LANCZOS).save(stored, "PNG", optimize=True)
    return stored.getvalue()


def _scaled(factor: float, *percentages: float) -> list[float]:
    return [each * factor for each in percentages]
