"""How a client applies events about messages: unread, starred, recent and shown ones."""

from dataclasses import replace
from typing import Any

from tests.model.client_view.view import Event, Heard, View, applies

_MENTIONS = {
    "mentioned",
    "wildcard_mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
}
_FROM_TEXT = {*_MENTIONS, "has_alert_word"}
"""Flags that an edit can change."""


@applies("message")
def take_message(view: View, event: Event) -> None:
    message, flags = event["message"], set(event["flags"])
    number, place = message["id"], place_of(message, view.user_id)
    view.messages[number] = Heard(place, message["content"], frozenset(flags), frozenset())
    if "read" not in flags:
        view.unread[number] = place
        if flags & _MENTIONS:
            view.unread_mentions.add(number)
    if message["type"] == "private":
        others: tuple[int, ...] = place[1]
        view.conversations[others] = max(number, view.conversations.get(others, 0))
        view.to_look_up.discard(others)


@applies("update_message")
def change_message(view: View, event: Event) -> None:
    if "rendered_content" in event:
        _take_text(view, event)
    if "orig_subject" in event or "new_stream_id" in event:
        _take_move(view, event)


def _take_text(view: View, event: Event) -> None:
    number, flags = event["message_id"], set(event["flags"])
    if number in view.messages:
        heard = view.messages[number]
        kept = heard.flags - _FROM_TEXT
        view.messages[number] = replace(
            heard, content=event["content"], flags=kept | (flags & _FROM_TEXT)
        )
    if number in view.unread:
        if flags & _MENTIONS:
            view.unread_mentions.add(number)
        else:
            view.unread_mentions.discard(number)


def _take_move(view: View, event: Event) -> None:
    channel_id = event.get("new_stream_id", event["stream_id"])
    inside = {each["stream_id"] for each in view.state.get("subscriptions", [])}
    for number in event["message_ids"]:
        topic = event.get("subject")
        if number in view.unread:
            kept = view.unread[number][1]
            view.unread[number] = (channel_id, kept if topic is None else topic)
        if number in view.messages:
            heard = view.messages[number]
            place = (channel_id, heard.place[1] if topic is None else topic)
            view.messages[number] = replace(heard, place=place)
            if channel_id not in inside:
                # There are no events about it where the client is not subscribed.
                del view.messages[number]


@applies("delete_message")
def delete_messages(view: View, event: Event) -> None:
    numbers = event["message_ids"] if "message_ids" in event else [event["message_id"]]
    for number in numbers:
        view.messages.pop(number, None)
        _no_longer_unread(view, number)
        if view.knows("starred_messages"):
            _set_star(view, [number], is_starred=False)
        for others, newest in list(view.conversations.items()):
            if newest == number:
                view.to_look_up.add(others)


@applies("update_message_flags")
def change_flags(view: View, event: Event) -> None:
    is_added = event["op"] == "add"
    numbers = event["messages"]
    if event.get("all"):
        numbers = list({*view.unread, *view.messages})
    match event["flag"]:
        case "read" if is_added:
            for number in numbers:
                _no_longer_unread(view, number)
        case "read":
            for number, details in event["message_details"].items():
                _became_unread(view, int(number), details)
        case "starred" if view.knows("starred_messages"):
            _set_star(view, numbers, is_starred=is_added)
    for number in numbers:
        if number in view.messages:
            heard = view.messages[number]
            flag = {event["flag"]}
            flags = heard.flags | flag if is_added else heard.flags - flag
            view.messages[number] = replace(heard, flags=flags)


@applies("reaction")
def change_reactions(view: View, event: Event) -> None:
    number = event["message_id"]
    if number not in view.messages:
        return
    heard = view.messages[number]
    reaction = {(event["user_id"], event["emoji_name"])}
    is_added = event["op"] == "add"
    after = heard.reactions | reaction if is_added else heard.reactions - reaction
    view.messages[number] = replace(heard, reactions=after)


@applies("submessage")
def change_widget(view: View, event: Event) -> None:
    """Widgets are not part of the state of POST /register."""


def place_of(message: dict[str, Any], user_id: int) -> tuple[Any, ...]:
    """A channel and a topic, or the other users of a direct conversation."""
    if message["type"] == "stream":
        return message["stream_id"], message["subject"]
    people = {person["id"] for person in message["display_recipient"]}
    return "direct", tuple(sorted(people - {user_id}))


def _became_unread(view: View, number: int, details: dict[str, Any]) -> None:
    if details["type"] == "stream":
        view.unread[number] = (details["stream_id"], details["topic"])
    else:
        view.unread[number] = ("direct", tuple(sorted(details["user_ids"])))
    if details.get("mentioned"):
        view.unread_mentions.add(number)


def _no_longer_unread(view: View, number: int) -> None:
    view.unread.pop(number, None)
    view.unread_mentions.discard(number)


def _set_star(view: View, numbers: list[int], *, is_starred: bool) -> None:
    before = set(view.state["starred_messages"])
    after = before | set(numbers) if is_starred else before - set(numbers)
    view.state["starred_messages"] = sorted(after)
