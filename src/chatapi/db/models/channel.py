"""Channels, their subscriptions, and the policies of users for topics."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class Channel(Base):
    """A channel, which contains topics; never deleted, only archived."""

    __tablename__ = "channel"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str] = mapped_column(String(120))
    """The name normalized without regard to case: names must differ in more than case."""
    description: Mapped[str] = mapped_column(String(1024))
    rendered_description: Mapped[str] = mapped_column(Text)
    date_created: Mapped[datetime]
    creator_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    invite_only: Mapped[bool]
    is_web_public: Mapped[bool]
    history_public_to_subscribers: Mapped[bool]
    message_retention_days: Mapped[int | None]
    """None: the realm's setting applies; -1: messages are kept for ever."""
    topics_policy: Mapped[str] = mapped_column(String(20))
    default_push_notifications: Mapped[bool]
    is_default: Mapped[bool]
    """Whether new users are subscribed to it."""
    is_archived: Mapped[bool]
    subscriber_count: Mapped[int]
    """The number of active subscribers, stored so that requests need not count them."""
    settings: Mapped[dict[str, Any]]
    """Permissions of the channel, by the name of the permission setting."""
    folder_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("channel_folder.id"))


class Subscription(Base):
    """A user's settings for a channel; kept after they unsubscribe, in case they return."""

    __tablename__ = "subscription"
    __table_args__ = (Index(None, "channel_id", "is_active"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"), primary_key=True)
    is_active: Mapped[bool]
    read_up_to: Mapped[int] = mapped_column(BigId)
    """Everything in the channel up to this message is read, unless marked otherwise."""
    color: Mapped[str] = mapped_column(String(10))
    is_muted: Mapped[bool]
    pin_to_top: Mapped[bool]
    desktop_notifications: Mapped[bool | None]
    audible_notifications: Mapped[bool | None]
    push_notifications: Mapped[bool | None]
    email_notifications: Mapped[bool | None]
    wildcard_mentions_notify: Mapped[bool | None]


class SubscriptionPeriodRow(Base):
    """One period of a user's subscription to a channel, in event numbers and message ids."""

    __tablename__ = "subscription_period"
    __table_args__ = (
        Index(None, "user_id", "channel_id"),
        Index(None, "channel_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"))
    since_event: Mapped[int] = mapped_column(BigId)
    """The last event before the period, which begins after it."""
    since_message: Mapped[int] = mapped_column(BigId)
    until_event: Mapped[int | None] = mapped_column(BigId)
    """The last event of the period, None while the user is subscribed."""
    until_message: Mapped[int | None] = mapped_column(BigId)


class UserTopic(Base):
    """A user's visibility policy for a topic, whether it has messages or not."""

    __tablename__ = "user_topic"
    __table_args__ = (Index(None, "channel_id", "topic_key"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"), primary_key=True)
    topic_key: Mapped[str] = mapped_column(String(120), primary_key=True)
    topic: Mapped[str] = mapped_column(String(60))
    visibility_policy: Mapped[int]
    last_updated: Mapped[datetime]
