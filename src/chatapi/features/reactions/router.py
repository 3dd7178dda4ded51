"""Endpoints of reactions."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import MessageId
from chatapi.features.reactions.errors import (
    ReactionAlreadyExistsError,
    ReactionDoesNotExistError,
)
from chatapi.features.reactions.params import AddReactionParams, RemoveReactionParams
from chatapi.features.reactions.service import ReactionService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

router = FeatureRouter("Reactions", "Say it with an emoji.")


@router.post("/messages/{message_id:int}/reactions", errors=[ReactionAlreadyExistsError])
async def add_reaction(ctx: LoggedIn, message_id: Id, params: AddReactionParams) -> None:
    """Put an emoji under a message.

    The name is enough, also one of its other names. Where others have put the emoji there before
    you, it keeps the name they used. `service_extra_emoji` is answered as `zulip_extra_emoji`.
    """
    await ReactionService(ctx).add(MessageId(message_id), params)


@router.delete("/messages/{message_id:int}/reactions", errors=[ReactionDoesNotExistError])
async def remove_reaction(ctx: LoggedIn, message_id: Id, params: RemoveReactionParams) -> None:
    """Take an emoji back that you have put under a message."""
    await ReactionService(ctx).remove(MessageId(message_id), params)
