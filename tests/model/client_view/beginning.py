"""A client that has just registered."""

from typing import Any

from tests.model.client_view.view import View


def begin(registered: dict[str, Any], user_id: int, *, lists_people: bool = True) -> View:
    """A view of the POST /register response, without any event yet."""
    view = View(user_id, dict(registered), lists_people)
    unread = registered.get("unread_msgs")
    if unread is not None:
        _read_unread(view, unread, user_id)
    for conversation in registered.get("recent_private_conversations", []):
        others = tuple(sorted(conversation["user_ids"]))
        view.conversations[others] = conversation["max_message_id"]
    return view


def _read_unread(view: View, unread: dict[str, Any], user_id: int) -> None:
    view.unread_mentions.update(unread["mentions"])
    for topic in unread["streams"]:
        for number in topic["unread_message_ids"]:
            view.unread[number] = (topic["stream_id"], topic["topic"])
    for person in unread["pms"]:
        others = {person["other_user_id"]} - {user_id}
        for number in person["unread_message_ids"]:
            view.unread[number] = ("direct", tuple(others))
    for group in unread["huddles"]:
        people = {int(each) for each in group["user_ids_string"].split(",")}
        for number in group["unread_message_ids"]:
            view.unread[number] = ("direct", tuple(sorted(people - {user_id})))
