"""The files that a client knows from GET /attachments and events, compared with the database.

Files are not part of POST /register. Two things are not told by events, as clients expect it:

- `upload_space_used` is the space of all files of the organization, and only the owner of a file
  hears of it. It is compared where only one user has uploaded files.
- `message_ids` are the messages that the owner may see. No event comes when the owner gains or
  loses access to such a message: clients request the list when they show it. A message that the
  client received and still shows has to be listed; one that was deleted, or that the owner sees
  and that does not link the file any more, must not be.
"""

from typing import Any

from sqlalchemy import select

from chatapi.db.models import Message
from chatapi.db.session import DatabaseSession
from tests.model.client_view import View
from tests.model.scene import Scene
from tests.support.responses import assert_success


async def load_files(scene: Scene, person: str, process: int, view: View) -> None:
    """Request the files of the user, as a client does after it has registered."""
    response = await scene.clients[process].get("/attachments", scene.persons[person])
    listed = assert_success(response)
    view.files = {each["id"]: each for each in listed["attachments"]}
    view.space_used = listed["upload_space_used"]


async def differing_files(scene: Scene, person: str, view: View, fresh: View) -> dict[str, object]:
    """By part of the state: the client's value and the actual one, where they differ."""
    believed, true = _without_messages(view.files), _without_messages(fresh.files)
    found: dict[str, object] = {}
    if believed != true:
        found["files"] = {"client": believed, "database": true}
    if scene.uploaders == {person} and view.space_used != fresh.space_used:
        found["space"] = {"client": view.space_used, "database": fresh.space_used}
    for number in view.files.keys() & fresh.files.keys():
        client, database = (set(each.files[number]["message_ids"]) for each in (view, fresh))
        missing = (database - client) & view.messages.keys()
        hidden = await _hidden_messages(scene, person, client - database)
        if missing or client - database - hidden:
            found[f"messages of file {number}"] = {"client": client, "database": database}
    return found


def _without_messages(files: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {
        number: {key: value for key, value in each.items() if key != "message_ids"}
        for number, each in files.items()
    }


async def _hidden_messages(scene: Scene, person: str, message_ids: set[int]) -> set[int]:
    """Those messages that exist, but that a user may not see."""
    if not message_ids:
        return set()
    async with DatabaseSession(scene.runtime().database) as db:
        rows = await db.execute(select(Message.id).where(Message.id.in_(message_ids)))
        existing = set(rows.scalars())
    response = await scene.clients[0].get(
        "/messages", scene.persons[person], message_ids=sorted(message_ids)
    )
    return existing - {each["id"] for each in assert_success(response)["messages"]}
