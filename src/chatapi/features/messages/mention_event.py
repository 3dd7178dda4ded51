"""Base class of events about the text of a message: which users the text mentions."""

from typing import Annotated

from chatapi.core.ids import GroupId, UserId
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly


class MentionEvent(Event):
    """An event about a text; the resulting flags are computed for each reader."""

    mentioned_users: Annotated[frozenset[UserId], ServerOnly()] = frozenset()
    mentioned_groups: Annotated[frozenset[GroupId], ServerOnly()] = frozenset()
    mentions_channel: Annotated[bool, ServerOnly()] = False
    topic_participants: Annotated[frozenset[UserId] | None, ServerOnly()] = None
    """The users whom a topic wildcard mention reaches, None if there is no such mention."""
    alerted_users: Annotated[frozenset[UserId], ServerOnly()] = frozenset()
    """Users for whom it contains one of their alert words."""

    def mention_flags(self, view: ClientView) -> list[str]:
        """The flags of a reader that follow from the text."""
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
