"""Finds the names a text might refer to, so that they can be looked up at once before rendering."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from chatapi.core.ids import UserId
from chatapi.core.names import name_key
from chatapi.rendering.syntax import (
    CHANNEL,
    CHANNEL_WILDCARDS,
    EMOJI,
    GROUP,
    TOPIC_WILDCARDS,
    USER,
    split_id,
)

MAX_REFERENCES = 200
"""Of each kind; later names remain plain text."""

_WILDCARDS = CHANNEL_WILDCARDS | TOPIC_WILDCARDS
_Name = TypeVar("_Name", str, UserId)


class References(Struct, frozen=True):
    """Names as they are compared (see `name_key`), emoji as they are written.

    There may be more than the text refers to, such as names in code, but never fewer.
    """

    user_names: frozenset[str]
    user_ids: frozenset[UserId]
    group_names: frozenset[str]
    channel_names: frozenset[str]
    emoji_names: frozenset[str]


def find_references(content: str) -> References:
    """Find the names in a text without parsing it."""
    users = [split_id(name) for name in _names(USER, content) if name not in _WILDCARDS]
    return References(
        user_names=_first(name_key(name) for name, user_id in users if user_id is None),
        user_ids=_first(UserId(user_id) for _, user_id in users if user_id is not None),
        group_names=_first(map(name_key, _names(GROUP, content))),
        channel_names=_first(map(name_key, _names(CHANNEL, content))),
        emoji_names=_first(_names(EMOJI, content)),
    )


def _names(pattern: re.Pattern[str], content: str) -> Iterator[str]:
    """Includes overlapping matches: only the parser can tell which one is meant."""
    start = 0
    while found := pattern.search(content, start):
        yield found["name"]
        start = found.start() + 1


def _first(names: Iterable[_Name]) -> frozenset[_Name]:
    return frozenset(islice(dict.fromkeys(names), MAX_REFERENCES))
