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
    rows, source, target = BatchRepository(ctx.db), move.source, move.target
    stars = (
        await rows.list_stars(arrivals)
        if source.has_protected_history
        # Otherwise, subscribers of both channels see all of the messages before and after.
        else await rows.list_stars_of_others(arrivals, source.id, target.id)
    )
    if not stars:
        return
    owners = await UserRows(ctx.db, ctx.realm.id).list_some(sorted(stars))
    access_of = await channel_access_of_each(ctx, owners, [source.id, target.id])
    for owner in owners:
        access, starred = access_of[owner.id], stars[owner.id]
        before = {each for each in starred if access.can_see_message(source, each, arrivals[each])}
        after = {each for each in starred if access.can_see_message(target, each, new_arrival)}
        lost, gained = sorted(before - after), sorted(after - before)
        # Subscribers of the source get an event about the messages themselves.
        if lost and not access.is_subscribed(source.id):
            ctx.emit(FlagRemoved(flag="starred", messages=lost), to=Users.only(owner.id))
        if gained:
            ctx.emit(FlagAdded(flag="starred", messages=gained), to=Users.only(owner.id))
