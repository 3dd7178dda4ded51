"""Cache tags: the data by which an event says which cached values are outdated."""

from dataclasses import dataclass

from chatapi.core.ids import ChannelId, MessageId, UserId


@dataclass(frozen=True, slots=True)
class CacheTag:
    """Base of all tags; those without an id concern the whole realm of the event."""


@dataclass(frozen=True, slots=True)
class RealmTag(CacheTag):
    """The realm's settings; as permissions depend on them, all cached values of the realm."""


@dataclass(frozen=True, slots=True)
class SharedStateTag(CacheTag):
    """All sections of the register response that many clients share."""


@dataclass(frozen=True, slots=True)
class SharedSectionTag(CacheTag):
    """One section of the register response that many clients share."""

    fetch_type: str
    """The type in `fetch_event_types` by which clients request the section."""


@dataclass(frozen=True, slots=True)
class UserTag(CacheTag):
    """A user's name, role, permissions, credentials or profile; their waiting polls check them."""

    user_id: UserId


@dataclass(frozen=True, slots=True)
class ChannelTag(CacheTag):
    """A channel's data, except for its subscribers."""

    channel_id: ChannelId


@dataclass(frozen=True, slots=True)
class SubscribersTag(CacheTag):
    """The number of a channel's subscribers, which changes far more often than its other data."""

    channel_id: ChannelId


@dataclass(frozen=True, slots=True)
class TopicTag(CacheTag):
    """A topic that was renamed, or that lost or got messages, and maybe its conversation."""

    channel_id: ChannelId
    key: str
    """The `name_key` of the topic."""


@dataclass(frozen=True, slots=True)
class MovedTopicsTag(CacheTag):
    """The names of any topics of a channel, or which of them have messages."""

    channel_id: ChannelId


@dataclass(frozen=True, slots=True)
class MessageHistoriesTag(CacheTag):
    """The edit histories of any messages of the realm, where it is not said which.

    Those of a topic that was renamed, or of very many messages that were moved.
    """


@dataclass(frozen=True, slots=True)
class RecipientPreferencesTag(CacheTag):
    """Alert words or muted users of any user, or which bots have a service."""


@dataclass(frozen=True, slots=True)
class LinkifiersTag(CacheTag):
    """The linkifiers of the realm."""


@dataclass(frozen=True, slots=True)
class SentMessageTag(CacheTag):
    """The newest message of the realm: this one, which was just sent."""

    message_id: MessageId


@dataclass(frozen=True, slots=True)
class MessageTag(CacheTag):
    """A message's text, history, reactions or submessages; not its place, nor reader's flags."""

    message_id: MessageId


@dataclass(frozen=True, slots=True)
class AnyMessageTag(CacheTag):
    """The same of any message of the realm, where it is not known or not said which."""


@dataclass(frozen=True, slots=True)
class DeletedMessagesTag(CacheTag):
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
