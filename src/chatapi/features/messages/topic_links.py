"""What is a link in a topic; pure."""

from chatapi.features.messages.payloads import TopicLinkPayload
from chatapi.rendering import Linkifiers


def topic_links(topic: str, linkifiers: Linkifiers) -> tuple[TopicLinkPayload, ...]:
    """In the order in which they stand there."""
    if not topic or not linkifiers:
        return ()
    return tuple({"text": link.text, "url": link.url} for link in linkifiers.find(topic.encode()))
