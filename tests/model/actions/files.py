"""Steps: users upload files, link them in messages and delete them."""

from dataclasses import replace
from http import HTTPStatus

from tests.features.uploads.files import try_upload
from tests.model.actions.chance import among, either
from tests.model.actions.messages import newest_first
from tests.model.actions.step import Act, action, anybody, numbers, places, topics
from tests.model.scene import pick


@action(weight=2, size=among((1, 20, 300)))
async def upload_file(act: Act, size: int) -> None:
    scene = act.scene
    scene.uploaders.add(act.actor)
    content = {"filename": ("notes.txt", b"a" * size, "text/plain")}
    client, person = scene.clients[act.process], scene.persons[act.actor]
    response = await try_upload(client, person, files=content)
    scene.told.append(f"{act.actor}@{act.process}: uploads {size} bytes: {response.body}")
    if response.status == HTTPStatus.OK:
        scene.files.append((act.actor, response["url"]))


@action(weight=2, file=numbers, channel=places, topic=topics, is_owners=either)
async def send_file(act: Act, file: int, channel: int, topic: str, is_owners: bool) -> None:
    """A message that links a file, by its owner or by another user."""
    chosen = pick(act.scene.files[::-1], file)
    if chosen is None:
        return
    owner, url = chosen
    sender = owner if is_owners else act.actor
    to = act.scene.channels[channel % len(act.scene.channels)]
    address = {"type": "channel", "to": to, "topic": topic}
    response = await replace(act, actor=sender).call(
        "post", "/messages", content=f"see [notes]({url})", **address
    )
    if response.status == HTTPStatus.OK:
        act.scene.note_message(response["id"], sender)
        act.scene.places[response["id"]] = (to, topic)


@action(file=numbers, person=anybody)
async def send_file_directly(act: Act, file: int, person: str) -> None:
    chosen = pick(act.scene.files[::-1], file)
    if chosen is None:
        return
    owner, url = chosen
    response = await replace(act, actor=owner).call(
        "post", "/messages", type="direct", to=[act.user_id(person)], content=f"[notes]({url})"
    )
    if response.status == HTTPStatus.OK:
        act.scene.note_message(response["id"], owner)


@action(file=numbers, message=newest_first)
async def edit_file_into_message(act: Act, file: int, message: int) -> None:
    """Link a file in a message that exists; other edits remove the link."""
    chosen, edited = pick(act.scene.files[::-1], file), pick(act.scene.messages[::-1], message)
    if chosen is None:
        return
    sender = act.scene.senders.get(edited, act.actor)
    await replace(act, actor=sender).call(
        "patch", f"/messages/{edited}", content=f"now with [notes]({chosen[1]})"
    )


@action(file=numbers)
async def delete_file(act: Act, file: int) -> None:
    """Links to it stay in the messages, and lead nowhere."""
    owner = act.actor if act.actor in act.scene.uploaders else pick(sorted(act.scene.uploaders), 0)
    if owner is None:
        return
    own = replace(act, actor=owner)
    listed = (await own.call("get", "/attachments")).body.get("attachments", [])
    chosen = pick(listed, file)
    if chosen is not None:
        await own.call("delete", f"/attachments/{chosen['id']}")
