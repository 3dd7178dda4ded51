"""Unread messages become read when users leave a channel; emits this to their clients."""

from collections import defaultdict
from collections.abc import Mapping

from chatapi.auth.context import RealmContext
from chatapi.core.ids import ChannelId, MessageId, UserId
from chatapi.events.audience import Users
from chatapi.read_state.events import FlagAdded
from chatapi.read_state.repository import SpanRepository

_MAX_LISTED = 5_000
"""Up to this many messages are listed in the events; others are looked up on delivery.

Messages deleted before the delivery are missing then: users who left get no deletion events.
"""


async def emit_read_on_leave(
    ctx: RealmContext, leaving: Mapping[ChannelId, frozenset[UserId]]
) -> None:
    """Call it before users are unsubscribed: unsubscribed channels have no unread messages.

    Four statements, however many users and channels; users with the same read position in a channel
    share an event.
    """
    spans = SpanRepository(ctx.db)
    unread = await spans.find_in_channels(
        list(leaving), sorted(frozenset().union(*leaving.values()))
    )
    alike: defaultdict[tuple[ChannelId, MessageId, tuple[MessageId, ...]], list[UserId]]
    alike = defaultdict(list)
    found = {}
    for (channel_id, user_id), each in unread.items():
        if each and user_id in leaving[channel_id]:
            key = channel_id, each.span["above"], tuple(each.excepted)
            alike[key].append(user_id)
            found[key] = each
    listed = await spans.list_each([each.span for each in found.values()], _MAX_LISTED)
    for number, (key, user_ids) in enumerate(alike.items()):
        each = found[key]
        event = FlagAdded(flag="read", messages=each.excepted, span=each.span)
        if listed is not None:
            messages = sorted({*each.excepted, *listed[number]})
            event = FlagAdded(flag="read", messages=messages)
        ctx.emit(event, to=Users(ids=frozenset(user_ids)))
