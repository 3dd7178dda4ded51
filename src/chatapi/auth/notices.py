"""Notices: messages that the notification bot posts, in the transaction they are about.

Channels post notices about themselves, and messages are above channels: so posting is a function
of the runtime, which `main` takes from the messages.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId, UserId
from chatapi.rendering import Directory

if TYPE_CHECKING:
    # A context has a runtime, which has the function.
    from chatapi.auth.context import RealmContext


class ChannelNotice(Struct, frozen=True):
    """A message of the notification bot in a channel."""

    channel: ChannelRecord
    topic: str
    content: str


class DirectNotice(Struct, frozen=True):
    """A direct message of the notification bot."""

    recipient: UserId
    content: str


Notice = ChannelNotice | DirectNotice


class PostNotices(Protocol):
    """Posts notices; the caller has locked the realm."""

    async def __call__(
        self, ctx: "RealmContext", notices: Sequence[Notice], names: Directory | None = None
    ) -> list[MessageId]:
        """`names` are the users and channels the texts mention; returns the ids of the messages."""
