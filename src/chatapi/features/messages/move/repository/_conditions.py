"""A message selection as SQL conditions."""

from sqlalchemy import ColumnElement, or_

from chatapi.db.models import Message
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.permissions.messages import sent_during


def matching(selection: MessageSelection) -> tuple[ColumnElement[bool], ...]:
    """Conditions on Message."""
    conditions: list[ColumnElement[bool]] = [Message.conversation_id == selection.conversation_id]
    if selection.only is not None:
        conditions.append(Message.id == selection.only)
    if selection.since is not None:
        conditions.append(Message.id >= selection.since)
    if selection.up_to is not None:
        conditions.append(Message.id <= selection.up_to)
    if selection.subscription_periods is not None:
        conditions.append(or_(*map(sent_during, selection.subscription_periods)))
    return tuple(conditions)
