"""Events about topic policies; delivered only to the user's own clients."""

from typing import Any, ClassVar

from typing_extensions import override

from chatapi.core.ids import ChannelId
from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.features.channels.topic_policy_payloads import MutedTopicPayload
from chatapi.wire.topics import show_topic
from chatapi.wire.types import UnixSeconds


class UserTopicChanged(Event):
    """The reader's policy for a topic changed, by their choice or automatically."""

    type = "user_topic"
    cache_tags: ClassVar = NO_CACHE_TAGS

    stream_id: ChannelId
    """The channel of the topic."""
    topic_name: str
    """The topic whose policy changed."""
    last_updated: UnixSeconds
    """When the policy changed, in Unix seconds."""
    visibility_policy: int
    """0: none any more, as the channel is; 1: muted, 2: unmuted, 3: followed."""

    @override
    def variant(self, view: ClientView) -> bool:
        return view.profile.knows_empty_topic

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        topic = show_topic(self.topic_name, allow_empty=self.variant(view))
        return {**super().body(view), "topic_name": topic}


class MutedTopicsChanged(Event):
    """All muted topics, for clients that do not know `user_topic` events."""

    type = "muted_topics"
    cache_tags: ClassVar = NO_CACHE_TAGS

    muted_topics: tuple[MutedTopicPayload, ...]
    """All muted topics of the reader, each as channel name, topic, and when it was muted in Unix
    seconds."""

    @override
    def is_for(self, view: ClientView) -> bool:
        wanted = view.profile.event_types
        knows_better = wanted is not None and UserTopicChanged.type in wanted
        return super().is_for(view) and not knows_better

    @override
    def variant(self, view: ClientView) -> bool:
        return view.profile.knows_empty_topic

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        return {"muted_topics": show_muted(self.muted_topics, allow_empty=self.variant(view))}


def show_muted(
    topics: tuple[MutedTopicPayload, ...], *, allow_empty: bool
) -> list[MutedTopicPayload]:
    return [
        (channel_name, show_topic(topic, allow_empty=allow_empty), muted_at)
        for channel_name, topic, muted_at in topics
    ]
