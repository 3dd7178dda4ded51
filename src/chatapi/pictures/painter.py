"""Draws images in processes of their own, and waits for them in threads."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import IO

from chatapi.core.worker_threads import WorkerThreads
from chatapi.pictures.limits import MAX_SECONDS
from chatapi.pictures.recipes import DrawnPicture, Recipe

_PROCESSES = 3
"""At once: two for requests, and one for the thumbnails of uploaded files."""


@dataclass(eq=False)
class UnreadablePictureError(Exception):
    """A file is no image, is broken, or is beyond a limit."""

    message: str


class Painter:
    """Redraws images of clients within limits of pixels, memory and time."""

    def __init__(self) -> None:
        self._threads = WorkerThreads("drawing", _PROCESSES)
        self._running: set[subprocess.Popen[bytes]] = set()

    async def draw(self, file: IO[bytes], recipe: Recipe) -> DrawnPicture:
        """Draw what a recipe describes; raises `UnreadablePictureError`."""
        return await self._threads.run(self._draw, file, recipe)

    def close(self) -> None:
        """End all processes: no request waits for them any more."""
        self._threads.close()
        for process in tuple(self._running):
            process.kill()

    def _draw(self, file: IO[bytes], recipe: Recipe) -> DrawnPicture:
        # The process reads from the same open file, so that its content is not copied.
        file.seek(0)
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        with subprocess.Popen(  # noqa: S603 (a command of our own)
            [sys.executable, "-P", "-m", "chatapi.pictures.worker", recipe.encode()],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # None of our own environment: it contains passwords.
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
        ) as process:
            self._running.add(process)
            try:
                written, _ = process.communicate(timeout=MAX_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise UnreadablePictureError("The image takes too long to read") from None
            finally:
                self._running.discard(process)
        header, _, content = written.partition(b"\n")
        if process.returncode != 0 or not header:
            raise UnreadablePictureError("The image could not be read")
        return _read(json.loads(header), content)


def _read(header: dict[str, object], content: bytes) -> DrawnPicture:
    if "error" in header:
        raise UnreadablePictureError(str(header["error"]))
    variants: dict[str, bytes] = {}
    start = 0
    sizes: object = header["variants"]
    assert isinstance(sizes, dict)  # noqa: S101 (written by our own process)
    for name, size in sizes.items():
        variants[name] = content[start : start + size]
        start += size
    return DrawnPicture(
        width=int(str(header["width"])),
        height=int(str(header["height"])),
        content_type=str(header["content_type"]),
        is_animated=bool(header["is_animated"]),
        variants=variants,
    )
