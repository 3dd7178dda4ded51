"""Endpoints of reactions."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import MessageId
from chatapi.features.messages.reactions.errors import (
    ReactionAlreadyExistsError,
    ReactionDoesNotExistError,
)
from chatapi.features.messages.reactions.params import AddReactionParams, RemoveReactionParams
from chatapi.features.messages.reactions.service import ReactionService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import MessageInPath

router = FeatureRouter("Reactions", "Say it with an emoji.")


@router.post("/messages/{message_id:int}/reactions", responses=raises(ReactionAlreadyExistsError))
async def add_reaction(ctx: LoggedIn, message_id: MessageInPath, params: AddReactionParams) -> None:
    """Add a reaction to a message.

    The emoji's name is enough, including its alternative names. If other users have reacted with
    the same emoji before, their name for it is kept. `service_extra_emoji` is returned as
    `zulip_extra_emoji`.
    """
    await ReactionService(ctx).add(MessageId(message_id), params)


@router.delete("/messages/{message_id:int}/reactions", responses=raises(ReactionDoesNotExistError))
async def remove_reaction(
    ctx: LoggedIn, message_id: MessageInPath, params: RemoveReactionParams
) -> None:
    """Remove your reaction from a message.

    Users who see the message receive a `reaction/remove` event. Without such a reaction of yours,
    the error is `REACTION_DOES_NOT_EXIST`.
    """
    await ReactionService(ctx).remove(MessageId(message_id), params)
