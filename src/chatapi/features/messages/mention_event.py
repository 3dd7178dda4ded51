"""What events about the text of a message know of whom the text concerns."""

from typing import Annotated

from chatapi.core.ids import GroupId, UserId
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly


class MentionEvent(Event):
    """An event about a text; which flags it leads to is decided for each reader."""

    mentioned_users: Annotated[frozenset[UserId], ServerOnly()] = frozenset()
    mentioned_groups: Annotated[frozenset[GroupId], ServerOnly()] = frozenset()
    mentions_channel: Annotated[bool, ServerOnly()] = False
    topic_participants: Annotated[frozenset[UserId] | None, ServerOnly()] = None
    """Whom a mention of the topic reaches, None where there is no such mention."""
    alerted_users: Annotated[frozenset[UserId], ServerOnly()] = frozenset()
    """For whom it has a word they watch for."""

    def mention_flags(self, view: ClientView) -> list[str]:
        """The flags a reader has by what the text says."""
        flags = []
        if view.user_id in self.mentioned_users or not self.mentioned_groups.isdisjoint(
            view.membership.groups
        ):
            flags.append("mentioned")
        if self.mentions_channel:
            flags.append("stream_wildcard_mentioned")
        if self.topic_participants is not None and view.user_id in self.topic_participants:
            flags.append("topic_wildcard_mentioned")
        if view.user_id in self.alerted_users:
            flags.append("has_alert_word")
        return flags
