"""SQL conditions: of a message selection, and of users of both channels."""

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, exists, or_

from chatapi.db.models import Message, MessageFlag, ReadException, Subscription
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


def subscribes_to_both(
    row: type[MessageFlag] | type[ReadException], source: str, target: str
) -> ColumnElement[bool]:
    """Whether the user of a row is subscribed to two channels, which parameters name."""
    return and_(
        *(
            exists()
            .where(
                Subscription.user_id == row.user_id,
                Subscription.channel_id == bindparam(channel, type_=BigInteger),
                Subscription.is_active,
            )
            .correlate(row)
            for channel in (source, target)
        )
    )
