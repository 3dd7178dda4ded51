"""Hostile and broken images cost a bounded amount of memory, and nothing of the event loop."""

import asyncio
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.features.uploads.formats import RECIPE
from tests.factories import Person
from tests.features.uploads.files import upload
from tests.features.uploads.pictures import draw_all, stop_drawing
from tests.pictures.hostile import hostile_images
from tests.security.loop_watch import assert_short_steps
from tests.support.client import ApiClient

_MAX_BYTES = 200_000_000
_MAX_LOOP_SECONDS = 0.3
_PROCESSES = 2
_EVERY = {"sqlite": 1, "postgresql": 10}
"""Of how many files one is uploaded: no database takes part in reading and drawing them."""
_LIKE_OTHERS = re.compile(r"(cut off|damaged) ([2-9]|\d\d)")
"""Files that another process fails to read, as it does two others: the loop has to do the same."""


@pytest.mark.slow
def test_generator_makes_at_least_200_files() -> None:
    names = [name for name, _content in hostile_images()]
    assert len(names) == len(set(names)) >= 200


def most_memory(files: list[Path]) -> list[int]:
    """The memory that drawing each file takes at most, in bytes."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.pictures.memory", RECIPE.encode()],
        input="\n".join(map(str, files)),
        capture_output=True,
        check=True,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return [int(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
async def test_drawing_takes_less_than_200_megabytes(tmp_path: Path) -> None:
    files: dict[Path, str] = {}
    for name, content in hostile_images():
        file = tmp_path / str(len(files))
        file.write_bytes(content)
        files[file] = name
    shares = [list(files)[start::_PROCESSES] for start in range(_PROCESSES)]
    measured = await asyncio.gather(*(asyncio.to_thread(most_memory, share) for share in shares))
    used = {
        files[file]: memory
        for share, result in zip(shares, measured, strict=True)
        for file, memory in zip(share, result, strict=True)
    }
    assert {name: memory for name, memory in used.items() if memory > _MAX_BYTES} == {}
    # A process that was ended by a limit cannot report; the limit itself is lower.
    assert sum(memory > 0 for memory in used.values()) > len(files) * 0.95


@pytest.mark.slow
@pytest.mark.any_database
async def test_no_step_of_the_event_loop_is_long(
    client: ApiClient, runtime: Runtime, member: Person, backend: str
) -> None:
    stop_drawing(runtime)
    # The client of the tests builds the document that it checks responses against, once.
    await _upload_and_draw(client, runtime, member, b"no image")
    slow: dict[str, str] = {}
    images = [each for each in hostile_images() if not _LIKE_OTHERS.search(each[0])]
    for name, content in images[:: _EVERY[backend]]:
        act = partial(_upload_and_draw, client, runtime, member, content)
        try:
            await assert_short_steps(act, limit=_MAX_LOOP_SECONDS)
        except AssertionError as error:
            slow[name] = str(error)
    assert slow == {}


async def _upload_and_draw(
    client: ApiClient, runtime: Runtime, member: Person, content: bytes
) -> None:
    await upload(client, member, "hostile.png", content or b"\0", "image/png")
    await draw_all(runtime)
