"""The comparison of files can fail: a client that misses an event about a file differs."""

from collections.abc import Awaitable, Callable
from copy import deepcopy

import pytest

from tests.model.actions.files import delete_file, send_file, upload_file
from tests.model.actions.messages import delete, edit
from tests.model.actions.step import Act
from tests.model.client_files import differing_files
from tests.model.clients import ClientSpec, open_client
from tests.model.processes import Processes
from tests.model.scene import open_scene

_SPEC = ClientSpec("member", "eager")
_STEPS: dict[str, Callable[[Act], Awaitable[None]]] = {
    "upload": lambda act: upload_file(act, size=20),
    "link": lambda act: send_file(act, file=0, channel=0, topic="t1", is_owners=True),
    "edit": lambda act: edit(act, message=0, text="without the link"),
    "link again": lambda act: send_file(act, file=0, channel=0, topic="t1", is_owners=True),
    "delete message": lambda act: delete(act, message=0, by_sender=True),
    "delete file": lambda act: delete_file(act, file=0),
}


@pytest.mark.any_database
async def test_client_that_misses_an_event_about_a_file_differs(processes: Processes) -> None:
    scene = await open_scene(processes)
    await scene.call(
        0, "patch", "/realm", "owner", message_content_delete_limit_seconds="unlimited"
    )
    client = await open_client(scene, _SPEC, 0)
    act = Act(scene, _SPEC.person, 0)
    for name, step in _STEPS.items():
        before = deepcopy(client.view)
        await step(act)
        await client.read(scene, 0)
        fresh = (await open_client(scene, _SPEC, 0)).view
        assert await differing_files(scene, _SPEC.person, client.view, fresh) == {}, name
        missing = deepcopy(client.view)
        missing.files, missing.space_used = before.files, before.space_used
        assert await differing_files(scene, _SPEC.person, missing, fresh), name
