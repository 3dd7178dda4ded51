"""A scope as SQL."""

from sqlalchemy import ColumnElement, or_

from chatapi.db.models import Message
from chatapi.features.moves.scope import Scope
from chatapi.permissions.messages import came_during


def matching(scope: Scope) -> tuple[ColumnElement[bool], ...]:
    """Conditions on Message."""
    conditions: list[ColumnElement[bool]] = [Message.conversation_id == scope.conversation_id]
    if scope.only is not None:
        conditions.append(Message.id == scope.only)
    if scope.since is not None:
        conditions.append(Message.id >= scope.since)
    if scope.stays is not None:
        conditions.append(or_(*map(came_during, scope.stays)))
    return tuple(conditions)
