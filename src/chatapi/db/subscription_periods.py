"""SQL condition: a user was subscribed to a channel when a message arrived there."""

from typing import Any

from sqlalchemy import ColumnElement, Exists, and_, case, exists, or_

from chatapi.core.ids import UserId
from chatapi.db.models import SubscriptionPeriodRow

Column = ColumnElement[Any]


def was_subscribed(
    user_id: Column | UserId | None, channel_id: Column, message_id: Column, arrival: Column
) -> Exists:
    """Whether a user was subscribed to a channel when a message came there."""
    return exists().where(
        SubscriptionPeriodRow.user_id == user_id,
        SubscriptionPeriodRow.channel_id == channel_id,
        _is_within_period(message_id, arrival),
    )


def _is_within_period(message_id: Column, arrival: Column) -> ColumnElement[bool]:
    """Whether a message was sent or moved to the channel within a SubscriptionPeriodRow."""
    period = SubscriptionPeriodRow
    was_sent = and_(
        period.since_message < message_id,
        or_(period.until_message.is_(None), period.until_message >= message_id),
    )
    was_moved = and_(
        period.since_event < arrival,
        or_(period.until_event.is_(None), period.until_event >= arrival),
    )
    return case((arrival.is_(None), was_sent), else_=was_moved)
