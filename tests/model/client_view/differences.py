"""A client's state compared with the state it would get if it registered now."""

from collections.abc import Iterable
from typing import Any

from tests.model.client_view.view import View

NOT_COMPARED = {
    # Of the queue, not of the state.
    "queue_id",
    "last_event_id",
    # When the responding process was started.
    "server_generation",
    # Compared in the form in which clients keep them, below.
    "unread_msgs",
    "recent_private_conversations",
    "subscriptions",
    "unsubscribed",
    "never_subscribed",
    "streams",
    # Where a new client begins to read; the newest message may be hidden from it.
    "max_message_id",
    # Presence is sent as ephemeral events and otherwise requested by clients; compared only where
    # nothing changes it, by `differing_presence`.
    "presences",
    "presence_last_update_id",
    "server_timestamp",
    # Derived from permissions and groups, which are compared; no event contains them.
    "can_create_streams",
    "can_create_public_streams",
    "can_create_private_streams",
    "can_create_web_public_streams",
    "can_subscribe_other_users",
    "can_invite_others_to_realm",
    "realm_create_public_stream_policy",
    "realm_create_private_stream_policy",
    "realm_create_web_public_stream_policy",
    "realm_wildcard_mention_policy",
}
_LOOKED_UP_AGAIN = {
    # No event contains it. Subscribers are compared, and extents.py counts the rows.
    "subscriber_count",
    # No event contains it: clients fetch messages. extents.py checks the first message of each
    # conversation, of which the first one of a channel is the least.
    "first_message_id",
}
_CHOICES = {
    "color",
    "is_muted",
    "in_home_view",
    "pin_to_top",
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
}
_UNORDERED = {
    "realm_users": "user_id",
    "realm_non_active_users": "user_id",
    "cross_realm_bots": "user_id",
    "realm_bots": "user_id",
    "realm_user_groups": "id",
    "channel_folders": "id",
    "drafts": "id",
    "saved_snippets": "id",
    "scheduled_messages": "scheduled_message_id",
    "reminders": "reminder_id",
    "navigation_views": "fragment",
    "muted_users": "id",
    "realm_domains": "domain",
}
"""Lists that clients sort as they like, and the key of their entries."""


def differences(view: View, fresh: View) -> dict[str, object]:
    """By part of the state: the client's value and the actual one, where they differ."""
    believed, true = _compared(view), _compared(fresh)
    return {
        name: difference(believed.get(name), true.get(name))
        for name in sorted({*believed, *true})
        if believed.get(name) != true.get(name)
    }


def differing_presence(view: View, fresh: View) -> dict[str, object]:
    """The presence of users, where the client's differs from the actual one."""
    believed, true = view.state["presences"], fresh.state["presences"]
    return {} if believed == true else {"presences": difference(believed, true)}


def difference(believed: object, true: object) -> object:
    """Only what differs of two mappings or lists, so that it can be read."""
    if isinstance(believed, dict) and isinstance(true, dict):
        return {
            key: difference(believed.get(key), true.get(key))
            for key in sorted({*believed, *true}, key=str)
            if believed.get(key) != true.get(key)
        }
    return {"client": believed, "database": true}


def _compared(view: View) -> dict[str, Any]:
    compared: dict[str, Any] = {}
    for name, value in view.state.items():
        if name in NOT_COMPARED:
            continue
        key = _UNORDERED.get(name)
        compared[name] = value if key is None else {each[key]: _plain(each) for each in value}
    if view.knows("user_topics"):
        compared["user_topics"] = {
            (each["stream_id"], each["topic_name"]): each for each in view.state["user_topics"]
        }
    if view.knows("muted_topics"):
        compared["muted_topics"] = sorted(map(tuple, view.state["muted_topics"]))
    if view.knows("streams"):
        compared["streams"] = _by_id(view.state["streams"], without=_LOOKED_UP_AGAIN)
    if view.knows("subscriptions"):
        state = view.state
        compared["subscriptions"] = _by_id(state["subscriptions"], without=_LOOKED_UP_AGAIN)
        # No event says of a channel that became visible again whether the user had been subscribed.
        outside = [*state["unsubscribed"], *state["never_subscribed"]]
        compared["not subscribed"] = _by_id(outside, without=_LOOKED_UP_AGAIN | _CHOICES)
    if view.knows("unread_msgs"):
        compared["unread"] = dict(view.unread)
        compared["unread mentions"] = sorted(view.unread_mentions)
    if view.knows("recent_private_conversations"):
        compared["recent conversations"] = dict(view.conversations)
    return compared


def _by_id(
    channels: Iterable[dict[str, Any]], *, without: set[str]
) -> dict[int, dict[str, object]]:
    return {
        each["stream_id"]: {key: value for key, value in _plain(each).items() if key not in without}
        for each in channels
    }


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with its lists of users sorted."""
    return {
        key: sorted(value) if key in {"subscribers", "members", "direct_subgroup_ids"} else value
        for key, value in entry.items()
    }
