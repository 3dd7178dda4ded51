"""Who was in a channel when a message came there, in SQL."""

from typing import Any

from sqlalchemy import ColumnElement, and_, case, or_
from sqlalchemy.orm import InstrumentedAttribute

from chatapi.db.models import SubscriptionPeriod

Column = InstrumentedAttribute[Any] | ColumnElement[Any]


def is_during_stay(message_id: Column, arrival: Column) -> ColumnElement[bool]:
    """Whether a message came within a SubscriptionPeriod: by being sent, or by being moved."""
    stay = SubscriptionPeriod
    was_sent = and_(
        stay.since_message < message_id,
        or_(stay.until_message.is_(None), stay.until_message >= message_id),
    )
    was_moved = and_(
        stay.since_event < arrival, or_(stay.until_event.is_(None), stay.until_event >= arrival)
    )
    return case((arrival.is_(None), was_sent), else_=was_moved)
