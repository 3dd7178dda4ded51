"""A reader's flags of messages, encoded."""

from collections.abc import Callable

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
_STATE = slice(PageRow._fields.index("exception"), None)
"""The columns of a row that the flags depend on, besides the position."""
_known: dict[tuple[object, ...], bytes] = {}
"""Encoded flags by what they depend on: most rows of a page have the same. It is all yes or no."""


def flags_encoder(access: MessageAccess) -> Callable[[PageRow], bytes]:
    """Return what encodes the flags of each message of a page as a JSON array."""
    if access.reader_id is None:
        return lambda _row: _FLAGS_OF_STRANGERS
    # Looked up once: a page has hundreds of messages.
    received, known = access.received, _known

    def encode(row: PageRow) -> bytes:
        is_received = received(row)
        state = (row.channel_id is None, row.id > row.position, is_received, row[_STATE])
        flags = known.get(state)
        if flags is None:
            flags = known[state] = _encode(row, is_received=is_received)
        return flags

    return encode


def _encode(row: PageRow, *, is_received: bool) -> bytes:
    is_set = (
        not is_unread(row),
        bool(row.starred),
        bool(row.collapsed),
        row.is_mentioned,
        row.mentions_channel and is_received,
        row.mentions_topic and is_received,
        bool(row.has_alert_word),
        not is_received,
    )
    return orjson.dumps([name for name, applies in zip(_NAMES, is_set, strict=True) if applies])
