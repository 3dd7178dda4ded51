"""Links to messages, as clients open them; pure."""

import re

from chatapi.core.ids import MessageId
from chatapi.core.names import EMPTY_TOPIC_DISPLAY_NAME
from chatapi.features.messages.outgoing import DirectTarget, OutgoingMessage, TopicTarget
from chatapi.rendering import NamedChannel, channel_address, encode_fragment

_TWO_PEOPLE = 2
_MARKUP = re.compile(r"[&<\[\]`*~$:]")
"""The characters with which Markdown, emoji and formulas begin or end."""


def message_address(to: TopicTarget | DirectTarget, topic: str, message_id: MessageId) -> str:
    """The path and fragment at which clients show a message in its conversation."""
    if isinstance(to, TopicTarget):
        record = to.channel.record
        if not to.is_name_known:
            return f"/#narrow/channel/{record.id}/topic/{encode_fragment(topic)}/near/{message_id}"
        return f"{channel_address(NamedChannel(record.id, record.name), topic)}/near/{message_id}"
    ids = ",".join(str(user_id) for user_id in sorted(person.id for person in to.people))
    kind = "group" if len(to.people) > _TWO_PEOPLE else "dm"
    return f"/#narrow/dm/{ids}-{kind}/near/{message_id}"


def message_link(outgoing: OutgoingMessage, topic: str, url: str) -> str:
    """A Markdown link to a message, described by its conversation."""
    return f"[{_escaped(_description(outgoing, topic))} @ 💬]({url})"


def _description(outgoing: OutgoingMessage, topic: str) -> str:
    to = outgoing.to
    if isinstance(to, TopicTarget):
        record = to.channel.record
        name = record.name if to.is_name_known else record.id
        return f"#{name} > {topic or EMPTY_TOPIC_DISPLAY_NAME}"
    others = [person.full_name for person in to.people if person.id != outgoing.sender.id]
    return f"DM with {', '.join(others or [outgoing.sender.full_name])}"


def _escaped(text: str) -> str:
    """The text with its markup as character references; a backslash escapes nothing here."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", text)
