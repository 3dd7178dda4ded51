"""Hostile and broken images cost a bounded amount of memory, and nothing of the event loop."""

import asyncio
import re
import subprocess
import sys
import tempfile

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.features.uploads.formats import RECIPE
from tests.factories import Person
from tests.features.uploads.files import upload
from tests.features.uploads.pictures import draw_all, stop_drawing
from tests.pictures.hostile import hostile_images
from tests.security.loop_watch import LoopWatch
from tests.support.client import ApiClient

_MAX_BYTES = 200_000_000
_MAX_LOOP_SECONDS = 0.3
_MEASURED = """
import re, sys
from chatapi.pictures.worker import main
try:
    main()
finally:
    status = open("/proc/self/status").read()
    sys.stderr.write(re.search(r"VmHWM:.*", status)[0])
"""
"""The drawing process, which reports the most memory it had."""


def test_generator_makes_at_least_200_files() -> None:
    names = [name for name, _content in hostile_images()]
    assert len(names) == len(set(names)) >= 200


def most_memory(content: bytes) -> int:
    """The memory that drawing a file takes at most, in bytes."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, RECIPE.encode()],
            stdin=file,
            capture_output=True,
            check=False,
            timeout=120,
        )
    measured = re.search(rb"VmHWM:\s+(\d+) kB", done.stderr)
    # A process that was ended by a limit cannot report; the limit itself is below.
    return 0 if measured is None else int(measured[1]) * 1024


@pytest.mark.slow
async def test_drawing_takes_less_than_200_megabytes() -> None:
    greedy: dict[str, int] = {}
    reported = 0

    async def measure(name: str, content: bytes) -> None:
        nonlocal reported
        used = await asyncio.to_thread(most_memory, content)
        reported += used > 0
        if used > _MAX_BYTES:
            greedy[name] = used

    files = list(hostile_images())
    for start in range(0, len(files), 2):
        await asyncio.gather(*(measure(*each) for each in files[start : start + 2]))
    assert greedy == {}
    assert reported > len(files) * 0.95


@pytest.mark.slow
@pytest.mark.any_database
async def test_no_step_of_the_event_loop_is_long(
    client: ApiClient, runtime: Runtime, member: Person
) -> None:
    stop_drawing(runtime)
    # The client of the tests builds the document that it checks responses against, once.
    await _upload_and_draw(client, runtime, member, b"no image")
    slow: dict[str, float] = {}
    for name, content in hostile_images():
        watch = LoopWatch()
        async with watch:
            await asyncio.ensure_future(_upload_and_draw(client, runtime, member, content))
        if watch.longest > _MAX_LOOP_SECONDS:
            slow[f"{name}, {watch.place}"] = watch.longest
    assert slow == {}


async def _upload_and_draw(
    client: ApiClient, runtime: Runtime, member: Person, content: bytes
) -> None:
    await upload(client, member, "hostile.png", content or b"\0", "image/png")
    await draw_all(runtime)
