"""A reader's flags of messages, encoded."""

from functools import cache

import orjson

from chatapi.features.messages.repository import PageRow
from chatapi.permissions.messages import MessageAccess
from chatapi.read_state.repository import is_unread

_NAMES = (
    "read",
    "starred",
    "collapsed",
    "mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
    "has_alert_word",
    "historical",
)
_FLAGS_OF_STRANGERS = b'["read"]'


def encoded_flags(row: PageRow, access: MessageAccess) -> bytes:
    """The flags as a JSON array."""
    if access.reader_id is None:
        return _FLAGS_OF_STRANGERS
    is_received = access.received(row)
    return _encode(
        not is_unread(row),
        bool(row.starred),
        bool(row.collapsed),
        row.is_mentioned,
        row.mentions_channel and is_received,
        row.mentions_topic and is_received,
        bool(row.has_alert_word),
        not is_received,
    )


@cache
def _encode(*is_set: bool) -> bytes:
    return orjson.dumps([name for name, applies in zip(_NAMES, is_set, strict=True) if applies])
