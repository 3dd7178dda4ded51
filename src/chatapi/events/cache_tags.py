"""Cache tags: the data by which an event says which cached values are outdated."""

from msgspec import Struct

from chatapi.core.ids import ChannelId, ConversationId, MessageId, UserId


class CacheTag(Struct, frozen=True):
    """Base of all tags; those without an id concern the whole realm of the event."""


class RealmTag(CacheTag, frozen=True):
    """The realm's settings; as permissions depend on them, all cached values of the realm."""


class SharedStateTag(CacheTag, frozen=True):
    """All sections of the register response that many clients share."""


class SharedSectionTag(CacheTag, frozen=True):
    """One section of the register response that many clients share."""

    fetch_type: str
    """The type in `fetch_event_types` by which clients request the section."""


class UserTag(CacheTag, frozen=True):
    """A user's name, role, permissions, credentials or profile; their waiting polls check them."""

    user_id: UserId


class ChannelTag(CacheTag, frozen=True):
    """A channel's data, except for its subscribers."""

    channel_id: ChannelId


class ChannelListTag(CacheTag, frozen=True):
    """Which channels the realm has."""


class SubscribersTag(CacheTag, frozen=True):
    """The number of a channel's subscribers, which changes far more often than its other data."""

    channel_id: ChannelId


class ChannelMessagesTag(CacheTag, frozen=True):
    """The messages of a channel: some were deleted, or moved there or away, or call others now."""

    channel_id: ChannelId


class NewChannelMessageTag(CacheTag, frozen=True):
    """The messages of a channel, to which one was just sent."""

    channel_id: ChannelId


class TopicTag(CacheTag, frozen=True):
    """A topic that was renamed, or that lost or got messages, and maybe its conversation."""

    channel_id: ChannelId
    key: str
    """The `name_key` of the topic."""


class MovedTopicsTag(CacheTag, frozen=True):
    """The names of any topics of a channel, or which of them have messages."""

    channel_id: ChannelId


class MessageHistoriesTag(CacheTag, frozen=True):
    """The edit histories of any messages of the realm, where it is not said which.

    Those of a topic that was renamed, or of very many messages that were moved.
    """


class RecipientPreferencesTag(CacheTag, frozen=True):
    """Alert words or muted users of any user, or which bots have a service."""


class LinkifiersTag(CacheTag, frozen=True):
    """The linkifiers of the realm."""


class SentMessageTag(CacheTag, frozen=True):
    """The newest message of the realm: this one, which was just sent."""

    message_id: MessageId


class NewMessageTag(CacheTag, frozen=True):
    """The messages of a topic, to which one was just sent."""

    conversation_id: ConversationId


class MessageTag(CacheTag, frozen=True):
    """A message's text, history, reactions or submessages; not its place, nor reader's flags."""

    message_id: MessageId


class AnyMessageTag(CacheTag, frozen=True):
    """The same of any message of the realm, where it is not known or not said which."""


class DeletedMessagesTag(CacheTag, frozen=True):
    """The newest message of the realm, if it was deleted or moved."""

    newest: MessageId
    """The newest of the deleted messages."""


SHARED_STATE = frozenset[CacheTag]({SharedStateTag()})
NO_CACHE_TAGS = frozenset[CacheTag]()
"""For events that are frequent or concern one user, and change nothing that is cached."""


def shared_sections(*fetch_types: str) -> frozenset[CacheTag]:
    """The tags of events that change these shared sections of the register response and no other.

    Use it for frequent events: the other sections, such as the list of users, stay cached.
    """
    return frozenset(map(SharedSectionTag, fetch_types))
