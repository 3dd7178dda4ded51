"""A topic whose messages are still being moved does not change in other ways meanwhile."""

from chatapi.auth.context import RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.features.messages.repository import PendingMoveRepository, TopicLocation

_REFUSAL = "Messages of this topic are still being moved. Try again in a moment."


async def require_not_moving(ctx: RealmContext, *topics: TopicLocation) -> None:
    """Check that no move from or to one of the topics is under way; the realm is locked.

    For requests that move, rename or delete topics: they would take only a part of the messages
    along. Sending, editing and deleting single messages needs no check.
    """
    if await PendingMoveRepository(ctx.db).concerns_any(topics):
        raise BadRequestError(_REFUSAL)
