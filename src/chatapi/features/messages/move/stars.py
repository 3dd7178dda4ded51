"""Emits events about stars that a move makes visible or invisible to their owners."""

from collections.abc import Mapping

from chatapi.auth.context import RealmContext
from chatapi.auth.user_rows import UserRows
from chatapi.core.ids import EventNumber, MessageId
from chatapi.events.audience import Users
from chatapi.features.messages.move.move import Move
from chatapi.features.messages.move.repository import BatchRepository
from chatapi.permissions.channels import channel_access_of_each
from chatapi.read_state.events import FlagAdded, FlagRemoved


async def emit_star_events(
    ctx: RealmContext,
    move: Move,
    arrivals: Mapping[MessageId, EventNumber | None],
    new_arrival: EventNumber,
) -> None:
    """Compare what the owners of stars could see in one channel with what they see in the other.

    `arrivals` are those in the source. Whether a star exists does not depend on its channel, so
    this needs no reads before the move.
    """
    stars = await BatchRepository(ctx.db).list_stars(arrivals)
    if not stars:
        return
    owners = await UserRows(ctx.db, ctx.realm.id).list_some(sorted(stars))
    access_of = await channel_access_of_each(ctx, owners, [move.source.id, move.target.id])
    for owner in owners:
        access, starred = access_of[owner.id], stars[owner.id]
        before = {
            each for each in starred if access.can_see_message(move.source, each, arrivals[each])
        }
        after = {each for each in starred if access.can_see_message(move.target, each, new_arrival)}
        lost, gained = sorted(before - after), sorted(after - before)
        # Subscribers of the source get an event about the messages themselves.
        if lost and not access.is_subscribed(move.source.id):
            ctx.emit(FlagRemoved(flag="starred", messages=lost), to=Users.only(owner.id))
        if gained:
            ctx.emit(FlagAdded(flag="starred", messages=gained), to=Users.only(owner.id))
