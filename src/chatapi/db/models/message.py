"""Conversations, messages and read state; a message needs no row for each of its readers."""

from datetime import datetime

from sqlalchemy import (
    ForeignKey,
    Identity,
    Index,
    String,
    Text,
    UniqueConstraint,
    false,
)

from chatapi.db.base import Base, BigId, TableColumn, table_column
from chatapi.db.partial_indexes import partial_index

IS_RESOLVED = "topic LIKE '✔ %'"
"""SQL condition: the topic is marked as resolved."""


def _marked(name: str, *marks: str) -> Index:
    """Partial index of the few messages with one of the marks: others do not cost index entries.

    Its condition is written as in our statements, so that each database recognizes it.
    """
    return partial_index(
        name,
        "realm_id",
        "id",
        sqlite=" OR ".join(f"{mark} = 1" for mark in marks),
        postgresql=" OR ".join(marks),
    )


class Conversation(Base):
    """A topic of a channel, or the direct-message thread of a set of users."""

    __tablename__ = "conversation"
    __table_args__ = (
        UniqueConstraint("channel_id", "topic_key"),
        UniqueConstraint("realm_id", "people_key"),
        Index(None, "channel_id", "last_message_id"),
        partial_index(
            "ix_conversation_realm_id_resolved",
            "realm_id",
            sqlite=IS_RESOLVED,
            postgresql=IS_RESOLVED,
        ),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    channel_id: TableColumn[int | None] = table_column(BigId, ForeignKey("channel.id"))
    topic: TableColumn[str] = table_column(String(60))
    topic_key: TableColumn[str | None] = table_column(String(120))
    """The topic normalized without regard to case; None for direct messages."""
    people_key: TableColumn[str | None] = table_column(String(64))
    """A digest of the participants' ids; None for topics."""
    first_message_id: TableColumn[int] = table_column(BigId)
    """No message is older. A topic's row is deleted with its last message. That of a direct-message
    thread is kept without messages: then this is greater than `last_message_id`."""
    last_message_id: TableColumn[int] = table_column(BigId)
    renamed_up_to: TableColumn[int | None] = table_column(BigId)
    """The last message that had another topic name; None if it was never renamed."""


class ConversationMember(Base):
    """A user takes part in a direct-message conversation."""

    __tablename__ = "conversation_member"
    __table_args__ = (Index(None, "conversation_id"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    conversation_id: TableColumn[int] = table_column(
        BigId, ForeignKey("conversation.id"), primary_key=True
    )


class Message(Base):
    """One message; ids have the order in which the messages of a realm were committed."""

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
        partial_index(
            "ix_message_channel_id_id_moved",
            "channel_id",
            "id",
            sqlite="arrival IS NOT NULL",
            postgresql="arrival IS NOT NULL",
        ),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    conversation_id: TableColumn[int] = table_column(BigId, ForeignKey("conversation.id"))
    channel_id: TableColumn[int | None] = table_column(BigId, ForeignKey("channel.id"))
    """The channel of the conversation, so that a channel can be read in order."""
    sender_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    content: TableColumn[str] = table_column(Text)
    rendered_content: TableColumn[str] = table_column(Text)
    sent_at: TableColumn[datetime]
    client_name: TableColumn[str] = table_column(String(60))
    is_me_message: TableColumn[bool]
    read_by_sender: TableColumn[bool]
    """Whether its sender had read it when it was sent, which saves a row in another table."""
    mentions_channel: TableColumn[bool]
    """Whether it mentions all users of the channel, or of a direct message."""
    mentions_topic: TableColumn[bool]
    """Whether it mentions all users who took part in the topic before."""
    has_link: TableColumn[bool]
    has_image: TableColumn[bool]
    has_attachment: TableColumn[bool]
    has_widget: TableColumn[bool] = table_column(server_default=false())
    """Whether it is a poll, a todo list or a form, and so has submessages."""
    last_edited_at: TableColumn[datetime | None]
    """When its text was last changed."""
    last_moved_at: TableColumn[datetime | None]
    """When it was moved to another conversation; not set when a whole topic is renamed."""
    arrival: TableColumn[int | None] = table_column(BigId)
    """The event that moved it to its channel; None if it was sent there."""


class Mention(Base):
    """A message mentions a user."""

    __tablename__ = "message_mention"
    __table_args__ = (Index(None, "message_id"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: TableColumn[int] = table_column(BigId, ForeignKey("message.id"), primary_key=True)


class GroupMention(Base):
    """A message mentions the members of a group."""

    __tablename__ = "message_group_mention"
    __table_args__ = (Index(None, "message_id"),)

    group_id: TableColumn[int] = table_column(BigId, ForeignKey("user_group.id"), primary_key=True)
    message_id: TableColumn[int] = table_column(BigId, ForeignKey("message.id"), primary_key=True)


class MessageFlag(Base):
    """A user's flags of a message; there is a row only if a flag was set."""

    __tablename__ = "message_flag"
    __table_args__ = (Index(None, "message_id"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: TableColumn[int] = table_column(BigId, ForeignKey("message.id"), primary_key=True)
    starred: TableColumn[bool]
    collapsed: TableColumn[bool]
    has_alert_word: TableColumn[bool] = table_column(server_default=false())
    """Whether it contained one of the user's alert words when it was sent."""


class GlobalReadPosition(Base):
    """A user's global read position: all messages up to it are read, except exceptions."""

    __tablename__ = "global_read_position"

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: TableColumn[int] = table_column(BigId)


class ConversationReadPosition(Base):
    """A user's read position in a conversation: all messages up to it are read, with exceptions."""

    __tablename__ = "conversation_read_position"
    __table_args__ = (Index(None, "conversation_id"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    conversation_id: TableColumn[int] = table_column(
        BigId, ForeignKey("conversation.id"), primary_key=True
    )
    message_id: TableColumn[int] = table_column(BigId)


class ReadException(Base):
    """A message that a user has read, or has not, whatever the read positions say."""

    __tablename__ = "read_exception"
    __table_args__ = (
        Index(None, "user_id", "conversation_id", "message_id"),
        Index(None, "message_id"),
        Index(None, "conversation_id"),
    )

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    message_id: TableColumn[int] = table_column(BigId, ForeignKey("message.id"), primary_key=True)
    conversation_id: TableColumn[int] = table_column(BigId, ForeignKey("conversation.id"))
    is_read: TableColumn[bool]
