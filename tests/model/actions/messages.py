"""Steps: users send, edit, move, delete, react to and mark messages."""

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus

from tests.features.messages.scheduled.scheduling import pass_an_hour
from tests.model.actions.chance import among, either, few, number
from tests.model.actions.step import Act, action, numbers, places, powerful, texts, topics
from tests.model.scene import ROLES, pick
from tests.support.responses import ApiResponse

_MODES = ("change_one", "change_later", "change_all")
_FLAGS = ("read", "starred")
newest_first = among((*range(9), 0, 1, 2))
some_people = few(sorted(ROLES), 1, 2)


def _note(act: Act, response: ApiResponse, place: tuple[int, str] | None = None) -> None:
    if "id" in response.body:
        act.scene.note_message(response.body["id"], act.actor)
        if place is not None:
            act.scene.places[response.body["id"]] = place


def _message(act: Act, number: int) -> int | None:
    """One of the messages, counted from the newest."""
    return pick(act.scene.messages[::-1], number)


@action(weight=4, channel=places, topic=topics, text=texts, is_read=either)
async def send(act: Act, channel: int, topic: str, text: str, is_read: bool) -> None:
    to = act.scene.channels[channel % len(act.scene.channels)]
    response = await act.call(
        "post",
        "/messages",
        type="channel",
        to=to,
        topic=topic,
        content=text,
        read_by_sender=is_read,
    )
    _note(act, response, (to, topic))


@action(weight=2, others=some_people, text=texts)
async def send_direct(act: Act, others: Sequence[str], text: str) -> None:
    to = sorted({act.user_id(name) for name in others})
    response = await act.call("post", "/messages", type="direct", to=to, content=text)
    _note(act, response)
    act.scene.talks.append((act.actor, *others))


@action(weight=3, talk=numbers, text=texts)
async def go_on_talking(act: Act, talk: int, text: str) -> None:
    """Send to a direct conversation that exists already."""
    people = act.scene.talks[-1 - talk % len(act.scene.talks)]
    to = sorted({act.user_id(name) for name in people})
    actor = act.actor if act.actor in people else people[-1]
    again = replace(act, actor=actor)
    _note(again, await again.call("post", "/messages", type="direct", to=to, content=text))


@action(weight=2, message=newest_first, text=texts)
async def edit(act: Act, message: int, text: str) -> None:
    """By its sender; others may not."""
    chosen = _message(act, message)
    sender = act.scene.senders.get(chosen, act.actor)
    await replace(act, actor=sender).call("patch", f"/messages/{chosen}", content=text)


@action(
    powerful,
    weight=7,
    message=newest_first,
    mode=among(_MODES),
    channel=places,
    topic=among(("t1", "t2", "t2", "t3", "T1", "")),
    to_channel=either,
    notify=either,
)
async def move(
    act: Act, message: int, mode: str, channel: int, topic: str, to_channel: bool, notify: bool
) -> None:
    target = {"stream_id": pick(act.scene.channels, channel)} if to_channel else {}
    places = act.scene.places
    chosen = pick([each for each in act.scene.messages[::-1] if each in places], message)
    response = await act.call(
        "patch",
        f"/messages/{chosen}",
        topic=topic,
        propagate_mode=mode,
        send_notification_to_old_thread=False,
        send_notification_to_new_thread=notify,
        **target,
    )
    if response.status == HTTPStatus.OK and chosen is not None:
        places[chosen] = (target.get("stream_id") or places[chosen][0], topic)


@action(powerful, weight=4, message=newest_first, by_sender=either)
async def delete(act: Act, message: int, by_sender: bool) -> None:
    chosen = _message(act, message)
    if chosen not in act.scene.places:
        by_sender = True  # No other user may delete direct messages.
    actor = act.scene.senders.get(chosen, act.actor) if by_sender else act.actor
    response = await replace(act, actor=actor).call("delete", f"/messages/{chosen}")
    if response.status == HTTPStatus.OK and chosen in act.scene.messages:
        act.scene.messages.remove(chosen)


@action(powerful, channel=places, topic=topics)
async def delete_topic(act: Act, channel: int, topic: str) -> None:
    chosen = pick(act.scene.channels, channel)
    await act.call("post", f"/streams/{chosen}/delete_topic", topic_name=topic)


@action(message=newest_first, is_added=either, emoji=among(("octopus", "heart")))
async def react(act: Act, message: int, is_added: bool, emoji: str) -> None:
    method = "post" if is_added else "delete"
    await act.call(method, f"/messages/{_message(act, message)}/reactions", emoji_name=emoji)


@action(
    weight=4,
    messages=few(range(9), 1, 2),
    flag=among(_FLAGS),
    is_added=among((True, True, False)),
)
async def flag_messages(act: Act, messages: list[int], flag: str, is_added: bool) -> None:
    chosen = sorted({number for each in messages if (number := _message(act, each)) is not None})
    op = "add" if is_added else "remove"
    await act.call("post", "/messages/flags", messages=chosen, op=op, flag=flag)


@action(flag=among(_FLAGS), is_added=either, channel=places)
async def flag_narrow(act: Act, flag: str, is_added: bool, channel: int) -> None:
    narrow = [["channel", pick(act.scene.channels, channel)]]
    await act.call(
        "post",
        "/messages/flags/narrow",
        anchor="newest",
        num_before=10,
        num_after=0,
        narrow=narrow,
        op="add" if is_added else "remove",
        flag=flag,
    )


@action(weight=4, message=newest_first)
async def mark_topic_read(act: Act, message: int) -> None:
    """Mark the topic that a message is in, or was in."""
    known = list(act.scene.places.values())
    channel_id, topic = known[-1 - message % len(known)]
    await act.call("post", "/mark_topic_as_read", stream_id=channel_id, topic_name=topic)


@action(channel=places)
async def mark_channel_read(act: Act, channel: int) -> None:
    await act.call("post", "/mark_stream_as_read", stream_id=pick(act.scene.channels, channel))


@action()
async def mark_all_read(act: Act) -> None:
    await act.call("post", "/mark_all_as_read")


@action(message=newest_first, delay=number(100, 10_000))
async def remind(act: Act, message: int, delay: int) -> None:
    at = act.scene.seconds_from_now(delay)
    await act.create(
        "reminders",
        "reminder_id",
        "post",
        "/reminders",
        message_id=_message(act, message),
        scheduled_delivery_timestamp=at,
    )


@action(reminder=numbers)
async def cancel_reminder(act: Act, reminder: int) -> None:
    chosen = pick(act.scene.made.get("reminders", []), reminder)
    if chosen is not None:
        await act.call("delete", f"/reminders/{chosen}")


@action(channel=places, topic=topics, person=among(sorted(ROLES)), direct=either)
async def schedule(act: Act, channel: int, topic: str, person: str, direct: bool) -> None:
    address: dict[str, object] = {"type": "direct", "to": [act.user_id(person)]}
    if not direct:
        address = {"type": "channel", "to": pick(act.scene.channels, channel), "topic": topic}
    at = act.scene.seconds_from_now(5_000)
    await act.create(
        "scheduled",
        "scheduled_message_id",
        "post",
        "/scheduled_messages",
        content="later",
        scheduled_delivery_timestamp=at,
        **address,
    )


@action(scheduled=numbers, text=texts, is_deleted=either)
async def change_scheduled(act: Act, scheduled: int, text: str, is_deleted: bool) -> None:
    chosen = pick(act.scene.made.get("scheduled", []), scheduled)
    if chosen is None:
        return
    path = f"/scheduled_messages/{chosen}"
    if is_deleted:
        await act.call("delete", path)
    else:
        await act.call("patch", path, content=text)


@action()
async def pass_time(act: Act) -> None:
    """Advance the clock; some scheduled messages are sent meanwhile."""
    await pass_an_hour(act.scene.runtime(act.process), act.scene.processes.clock)
    act.scene.told.append("An hour passed.")
