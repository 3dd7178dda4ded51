"""Conversations, their messages, and who has read them: nothing here grows with the readers."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId

IS_RESOLVED = "topic LIKE '✔ %'"
"""How a topic says that it is done."""


def _marked(name: str, *marks: str) -> Index:
    """The few messages with one of the marks: the others do not pay for the index.

    Each database recognizes it by the words that our statements use there.
    """
    return Index(
        name,
        "realm_id",
        "id",
        sqlite_where=text(" OR ".join(f"{mark} = 1" for mark in marks)),
        postgresql_where=text(" OR ".join(marks)),
    )


class Conversation(Base):
    """A topic of a channel, or a set of people who write to each other."""

    __tablename__ = "conversation"
    __table_args__ = (
        UniqueConstraint("channel_id", "topic_key"),
        UniqueConstraint("realm_id", "people_key"),
        Index(None, "channel_id", "last_message_id"),
        Index(
            "ix_conversation_realm_id_resolved",
            "realm_id",
            sqlite_where=text(IS_RESOLVED),
            postgresql_where=text(IS_RESOLVED),
        ),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    channel_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("channel.id"))
    topic: Mapped[str] = mapped_column(String(60))
    topic_key: Mapped[str | None] = mapped_column(String(120))
    """The topic without regard to case; None for direct messages."""
    people_key: Mapped[str | None] = mapped_column(String(64))
    """A digest of the participants' ids; None for topics."""
    first_message_id: Mapped[int] = mapped_column(BigId)
    """No message is older. A topic ends with its last message; people who have written to each
    other know each other also without one: then this is after `last_message_id`."""
    last_message_id: Mapped[int] = mapped_column(BigId)
    renamed_up_to: Mapped[int | None] = mapped_column(BigId)
    """The last message that had another topic, None for one that was never renamed."""


class ConversationMember(Base):
    """A person takes part in a direct-message conversation."""

    __tablename__ = "conversation_member"
    __table_args__ = (Index(None, "conversation_id"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    conversation_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("conversation.id"), primary_key=True
    )


class Message(Base):
    """One message; ids have the order in which messages of a realm were committed."""

    __tablename__ = "message"
    __table_args__ = (
        Index(None, "conversation_id", "id"),
        Index(None, "channel_id", "id"),
        Index(None, "realm_id", "id"),
        Index(None, "sender_id", "id"),
        _marked("ix_message_realm_id_id_link", "has_link"),
        _marked("ix_message_realm_id_id_image", "has_image"),
        _marked("ix_message_realm_id_id_attachment", "has_attachment"),
        _marked("ix_message_realm_id_id_mention", "mentions_channel", "mentions_topic"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    conversation_id: Mapped[int] = mapped_column(BigId, ForeignKey("conversation.id"))
    channel_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("channel.id"))
    """The channel of the conversation, so that a channel can be read in order."""
    sender_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    content: Mapped[str] = mapped_column(Text)
    rendered_content: Mapped[str] = mapped_column(Text)
    sent_at: Mapped[datetime]
    client_name: Mapped[str] = mapped_column(String(60))
    is_me_message: Mapped[bool]
    read_by_sender: Mapped[bool]
    """Whether it was read by its sender from the beginning, which saves a row elsewhere."""
    mentions_channel: Mapped[bool]
    """Whether it mentions everybody in the channel, or all people of a direct message."""
    mentions_topic: Mapped[bool]
    """Whether it mentions everybody who took part in the topic before."""
    has_link: Mapped[bool]
    has_image: Mapped[bool]
    has_attachment: Mapped[bool]
    last_edited_at: Mapped[datetime | None]
    """When its text was changed."""
    last_moved_at: Mapped[datetime | None]
    """When it was moved to another conversation, but for topics that were renamed as a whole."""
    arrival: Mapped[int | None] = mapped_column(BigId)
    """The event that brought it into its channel, None for those that were sent there."""


class Mention(Base):
    """A message mentions a person."""

    __tablename__ = "message_mention"
    __table_args__ = (Index(None, "message_id"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: Mapped[int] = mapped_column(BigId, ForeignKey("message.id"), primary_key=True)


class GroupMention(Base):
    """A message mentions whoever is in a group."""

    __tablename__ = "message_group_mention"
    __table_args__ = (Index(None, "message_id"),)

    group_id: Mapped[int] = mapped_column(BigId, ForeignKey("user_group.id"), primary_key=True)
    message_id: Mapped[int] = mapped_column(BigId, ForeignKey("message.id"), primary_key=True)


class MessageFlag(Base):
    """What a person noted about a message; there is a row only where there is a note."""

    __tablename__ = "message_flag"
    __table_args__ = (Index(None, "message_id"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: Mapped[int] = mapped_column(BigId, ForeignKey("message.id"), primary_key=True)
    starred: Mapped[bool]
    collapsed: Mapped[bool]
    has_alert_word: Mapped[bool] = mapped_column(server_default=false())
    """Whether a word the person watches for occurred when it was sent."""


class ReadFloor(Base):
    """Everything up to a message is read by a person, unless marked otherwise."""

    __tablename__ = "read_floor"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: Mapped[int] = mapped_column(BigId)


class ReadCursor(Base):
    """Everything in a conversation up to a message is read, unless marked otherwise."""

    __tablename__ = "read_cursor"
    __table_args__ = (Index(None, "conversation_id"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    conversation_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("conversation.id"), primary_key=True
    )
    message_id: Mapped[int] = mapped_column(BigId)


class ReadException(Base):
    """A message that a person has read, or not, whatever floors and cursors say."""

    __tablename__ = "read_exception"
    __table_args__ = (
        Index(None, "user_id", "conversation_id", "message_id"),
        Index(None, "message_id"),
        Index(None, "conversation_id"),
    )

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: Mapped[int] = mapped_column(BigId, ForeignKey("message.id"), primary_key=True)
    conversation_id: Mapped[int] = mapped_column(BigId, ForeignKey("conversation.id"))
    is_read: Mapped[bool]
