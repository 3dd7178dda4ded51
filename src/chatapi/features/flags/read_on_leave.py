"""What people leave unread in channels is read from then on, and their clients are told so."""

from collections import defaultdict
from collections.abc import Mapping

from chatapi.auth.context import RealmContext
from chatapi.core.ids import ChannelId, MessageId, UserId
from chatapi.events.audience import Users
from chatapi.features.flags.events import FlagAdded
from chatapi.features.flags.repository import SpanRepository

_MAX_LISTED = 5_000
"""So many messages are written down with the events; others are looked up when a client asks.

Those that are deleted before it asks are missing then: people outside hear of no deletion.
"""


async def emit_read_on_leave(
    ctx: RealmContext, leaving: Mapping[ChannelId, frozenset[UserId]]
) -> None:
    """Call it before people leave channels: nothing is unread where one is not.

    Four statements, however many people and channels; people who have read as far in a channel
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
