"""How a client applies events about channels and their subscribers."""

from collections.abc import Iterator
from typing import Any

from tests.model.client_view.view import Event, View, applies

_LISTS = ("streams", "subscriptions", "unsubscribed", "never_subscribed")


_WITH_OTHERS = ("rendered_description", "history_public_to_subscribers", "is_web_public")
"""Properties that are sent together with another one."""


@applies("stream")
def change_channels(view: View, event: Event) -> None:
    match event["op"]:
        case "create":
            for channel in event["streams"]:
                _add(view, channel)
        case "delete":
            for channel_id in event["stream_ids"]:
                _lose(view, channel_id)
        case _:
            if event["property"] == "name":
                _rename(view, event["name"], event["value"])
            for channel in _everywhere(view, event["stream_id"]):
                channel[event["property"]] = event["value"]
                channel.update({key: event[key] for key in _WITH_OTHERS if key in event})


@applies("default_streams")
def replace_defaults(view: View, event: Event) -> None:
    if view.knows("realm_default_streams"):
        view.state["realm_default_streams"] = event["default_streams"]


@applies("default_stream_groups")
def replace_default_groups(view: View, event: Event) -> None:
    if view.knows("realm_default_stream_groups"):
        view.state["realm_default_stream_groups"] = event["default_stream_groups"]


@applies("subscription")
def change_subscriptions(view: View, event: Event) -> None:
    match event["op"]:
        case "add":
            for subscription in event["subscriptions"]:
                _join(view, subscription)
        case "remove":
            for left in event["subscriptions"]:
                _leave(view, left["stream_id"])
        case "update":
            for channel in view.state.get("subscriptions", []):
                if channel["stream_id"] == event["stream_id"]:
                    channel[event["property"]] = event["value"]
        case "peer_add":
            _change_peers(view, event, 1)
        case "peer_remove":
            _change_peers(view, event, -1)
        case unknown:
            raise AssertionError(unknown)


def _add(view: View, channel: dict[str, Any]) -> None:
    """A channel new to the client: it has no subscribers until events list them.

    The subscriber count is already right; the users listed next are included in it.
    """
    if view.knows("streams"):
        _take(view, "streams", channel["stream_id"])
        view.state["streams"].append(dict(channel))
    if view.knows("never_subscribed"):
        for name in _LISTS[1:]:
            _take(view, name, channel["stream_id"])
        listed = {**channel, "subscribers": []} if view.lists_people else dict(channel)
        view.state["never_subscribed"].append(listed)


def _rename(view: View, old_name: str, new_name: str) -> None:
    """Muted topics contain the names of their channels."""
    for topic in view.state.get("muted_topics", []):
        if topic[0] == old_name:
            topic[0] = new_name


def _lose(view: View, channel_id: int) -> None:
    for name in _LISTS:
        if view.knows(name):
            _take(view, name, channel_id)
    forget_messages_of(view, channel_id)


def _join(view: View, subscription: dict[str, Any]) -> None:
    channel_id = subscription["stream_id"]
    for name in _LISTS[1:]:
        if view.knows(name):
            _take(view, name, channel_id)
    if view.knows("subscriptions"):
        view.state["subscriptions"].append(subscription)


def _leave(view: View, channel_id: int) -> None:
    """The user was subscribed to the channel; they are removed from its subscribers."""
    forget_messages_of(view, channel_id)
    if not view.knows("subscriptions"):
        return
    channel = _take(view, "subscriptions", channel_id)
    if channel is not None:
        _change(channel, [view.user_id], -1)
        view.state["unsubscribed"].append(channel)


def _change_peers(view: View, event: Event, by: int) -> None:
    for channel_id in event["stream_ids"]:
        for channel in _everywhere(view, channel_id):
            _change(channel, event["user_ids"], by)


def _change(channel: dict[str, Any], user_ids: list[int], by: int) -> None:
    if "subscribers" not in channel:
        return
    present = set(channel["subscribers"])
    channel["subscribers"] = sorted(present | set(user_ids) if by > 0 else present - set(user_ids))


def _everywhere(view: View, channel_id: int) -> Iterator[dict[str, Any]]:
    for name in _LISTS:
        for channel in view.state.get(name, []):
            if channel["stream_id"] == channel_id:
                yield channel


def _take(view: View, name: str, channel_id: int) -> dict[str, Any] | None:
    entries = view.state[name]
    for channel in entries:
        if channel["stream_id"] == channel_id:
            entries.remove(channel)
            return dict(channel)
    return None


def forget_messages_of(view: View, channel_id: int) -> None:
    """A client that unsubscribed gets no more events about these messages, and keeps none."""
    for message_id, heard in list(view.messages.items()):
        if heard.place[0] == channel_id:
            del view.messages[message_id]
