"""A reader's flags of messages, encoded as a member of the messages' JSON."""

from collections.abc import Callable
from functools import cache

import orjson

from chatapi.features.messages.repository import PageRow
from chatapi.permissions.messages import MessageAccess
from chatapi.read_state.repository import PageState

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


def flags_encoder(access: MessageAccess) -> Callable[[PageRow], bytes]:
    """Return what encodes the flags of each message of a page."""
    if access.reader_id is None:
        return lambda _row: FLAGS_OF_VISITORS
    # Looked up once: a page has hundreds of messages.
    received = access.received
    return lambda row: encoded_flags(row.state, received(row))


@cache
def encoded_flags(state: int, is_received: bool) -> bytes:  # noqa: FBT001 (a cache is fastest without names)
    """Encoded once for each of a few thousand states that are possible."""
    page_state = PageState.of(state)
    is_set = (
        not page_state.is_unread,
        page_state.starred,
        page_state.collapsed,
        page_state.is_mentioned,
        page_state.mentions_channel and is_received,
        page_state.mentions_topic and is_received,
        page_state.has_alert_word,
        not is_received,
    )
    return _member([name for name, applies in zip(_NAMES, is_set, strict=True) if applies])


def _member(flags: list[str]) -> bytes:
    return b',"flags":' + orjson.dumps(flags)


FLAGS_OF_VISITORS = _member(["read"])
