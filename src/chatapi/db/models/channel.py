"""Channels, their subscriptions, and the policies of users for topics."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String, Text, UniqueConstraint

from chatapi.db.base import Base, BigId, TableColumn, table_column


class Channel(Base):
    """A channel, which contains topics; never deleted, only archived."""

    __tablename__ = "channel"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    name: TableColumn[str] = table_column(String(60))
    name_key: TableColumn[str] = table_column(String(120))
    """The name normalized without regard to case: names must differ in more than case."""
    description: TableColumn[str] = table_column(String(1024))
    rendered_description: TableColumn[str] = table_column(Text)
    date_created: TableColumn[datetime]
    creator_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    invite_only: TableColumn[bool]
    is_web_public: TableColumn[bool]
    history_public_to_subscribers: TableColumn[bool]
    message_retention_days: TableColumn[int | None]
    """None: the realm's setting applies; -1: messages are kept for ever."""
    topics_policy: TableColumn[str] = table_column(String(20))
    default_push_notifications: TableColumn[bool]
    is_default: TableColumn[bool]
    """Whether new users are subscribed to it."""
    is_archived: TableColumn[bool]
    subscriber_count: TableColumn[int]
    """The number of active subscribers, stored so that requests need not count them."""
    settings: TableColumn[dict[str, Any]]
    """Permissions of the channel, by the name of the permission setting."""
    folder_id: TableColumn[int | None] = table_column(BigId, ForeignKey("channel_folder.id"))


class Subscription(Base):
    """A user's settings for a channel; kept after they unsubscribe, in case they return."""

    __tablename__ = "subscription"
    __table_args__ = (Index(None, "channel_id", "is_active"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    channel_id: TableColumn[int] = table_column(BigId, ForeignKey("channel.id"), primary_key=True)
    is_active: TableColumn[bool]
    read_up_to: TableColumn[int] = table_column(BigId)
    """Everything in the channel up to this message is read, unless marked otherwise."""
    color: TableColumn[str] = table_column(String(10))
    is_muted: TableColumn[bool]
    pin_to_top: TableColumn[bool]
    desktop_notifications: TableColumn[bool | None]
    audible_notifications: TableColumn[bool | None]
    push_notifications: TableColumn[bool | None]
    email_notifications: TableColumn[bool | None]
    wildcard_mentions_notify: TableColumn[bool | None]


class SubscriptionPeriodRow(Base):
    """One period of a user's subscription to a channel, in event numbers and message ids."""

    __tablename__ = "subscription_period"
    __table_args__ = (
        Index(None, "user_id", "channel_id"),
        Index(None, "channel_id"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    channel_id: TableColumn[int] = table_column(BigId, ForeignKey("channel.id"))
    since_event: TableColumn[int] = table_column(BigId)
    """The last event before the period, which begins after it."""
    since_message: TableColumn[int] = table_column(BigId)
    until_event: TableColumn[int | None] = table_column(BigId)
    """The last event of the period, None while the user is subscribed."""
    until_message: TableColumn[int | None] = table_column(BigId)


class UserTopic(Base):
    """A user's visibility policy for a topic, whether it has messages or not."""

    __tablename__ = "user_topic"
    __table_args__ = (Index(None, "channel_id", "topic_key"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    channel_id: TableColumn[int] = table_column(BigId, ForeignKey("channel.id"), primary_key=True)
    topic_key: TableColumn[str] = table_column(String(120), primary_key=True)
    topic: TableColumn[str] = table_column(String(60))
    visibility_policy: TableColumn[int]
    last_updated: TableColumn[datetime]
