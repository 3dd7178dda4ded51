"""Finds links in a topic; pure."""

from collections.abc import Iterable

from chatapi.features.messages.payloads import TopicLinkPayload
from chatapi.rendering import Linkifiers


def topic_links(topic: str, linkifiers: Linkifiers) -> tuple[TopicLinkPayload, ...]:
    """The links in the order of their position in the topic."""
    if not topic or not linkifiers:
        return ()
    return tuple({"text": link.text, "url": link.url} for link in linkifiers.find(topic.encode()))


def links_of_topics(
    topics: Iterable[str], linkifiers: Linkifiers
) -> dict[str, tuple[TopicLinkPayload, ...]]:
    """The links of several topics; safe to call from any thread."""
    return {topic: topic_links(topic, linkifiers) for topic in topics}
