"""Channels, and who is or was in them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class Channel(Base):
    """A place for conversations with topics; never deleted, only archived."""

    __tablename__ = "channel"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str] = mapped_column(String(120))
    """The name without regard to case: names differ in more than that."""
    description: Mapped[str] = mapped_column(String(1024))
    rendered_description: Mapped[str] = mapped_column(Text)
    date_created: Mapped[datetime]
    creator_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    invite_only: Mapped[bool]
    is_web_public: Mapped[bool]
    history_public_to_subscribers: Mapped[bool]
    message_retention_days: Mapped[int | None]
    """None: as the organization says; -1: for ever."""
    topics_policy: Mapped[str] = mapped_column(String(20))
    default_push_notifications: Mapped[bool]
    is_default: Mapped[bool]
    """Whether new users join it."""
    is_archived: Mapped[bool]
    subscriber_count: Mapped[int]
    """How many active users are subscribed, so that nobody has to count them."""
    settings: Mapped[dict[str, Any]]
    """Who may do what in the channel, by the name of the permission setting."""
    folder_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("channel_folder.id"))


class Subscription(Base):
    """What a person chose for a channel; stays when they leave, for when they come back."""

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
    """One stay of a person in a channel: which events and messages they were there for."""

    __tablename__ = "subscription_period"
    __table_args__ = (Index(None, "user_id", "channel_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"))
    since_event: Mapped[int] = mapped_column(BigId)
    """The last event before the stay; the stay begins after it."""
    since_message: Mapped[int] = mapped_column(BigId)
    until_event: Mapped[int | None] = mapped_column(BigId)
    """The last event of the stay, None as long as it goes on."""
    until_message: Mapped[int | None] = mapped_column(BigId)


class UserTopic(Base):
    """How much a person wants to see of a topic, whether it has messages or not."""

    __tablename__ = "user_topic"
    __table_args__ = (Index(None, "channel_id", "topic_key"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"), primary_key=True)
    topic_key: Mapped[str] = mapped_column(String(120), primary_key=True)
    topic: Mapped[str] = mapped_column(String(60))
    visibility_policy: Mapped[int]
    last_updated: Mapped[datetime]
