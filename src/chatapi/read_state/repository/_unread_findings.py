"""Unread messages of a reader, put together from several reads."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from chatapi.channel_cache.topic_messages import UnreadConversation
from chatapi.core.ids import ChannelId, ConversationId, MessageId


class UnreadMessages(NamedTuple):
    """The unread messages of a reader."""

    conversations: list[UnreadConversation]
    mention_ids: list[MessageId]
    """Those that mention the reader, in any way."""


class UnreadFindings:
    """Unread messages as they are found, by conversation.

    There may be MAX_UNREAD of them, so nothing here runs Python code for each of them, except for
    wildcard mentions, which are rare.
    """

    def __init__(self) -> None:
        self.count = 0
        self._conversations: dict[ConversationId, UnreadConversation] = {}
        self._mentions: defaultdict[ConversationId, set[MessageId]] = defaultdict(set)
        """By conversation; also of messages that are not unread."""

    def add(self, found: UnreadConversation) -> None:
        self.count += len(found.message_ids)
        known = self._conversations.setdefault(found.id, found)
        if known is not found:
            ids = sorted((*known.message_ids, *found.message_ids))
            self._conversations[found.id] = replace(known, message_ids=ids)

    def add_marked(
        self,
        conversation_id: ConversationId,
        channel_id: ChannelId | None,
        topic: str,
        marked: list[MessageId],
    ) -> None:
        """Add messages whose ids are negative if they have wildcard mentions."""
        if not marked:
            return
        marked.sort()
        if marked[0] < 0:
            first_unmarked = bisect_left(marked, 0)
            mentions = [MessageId(-number) for number in marked[:first_unmarked]]
            self.add_mentions(conversation_id, mentions)
            marked[:first_unmarked] = mentions
            marked.sort()
        self.add(UnreadConversation(conversation_id, channel_id, topic, marked))

    def add_mentions(
        self, conversation_id: ConversationId, message_ids: Iterable[MessageId]
    ) -> None:
        self._mentions[conversation_id].update(message_ids)

    @property
    def oldest(self) -> MessageId | None:
        return min((each.message_ids[0] for each in self._conversations.values()), default=None)

    def cut_to(self, limit: int) -> None:
        """Keep only the newest ones."""
        if self.count <= limit:
            return
        all_ids = (each.message_ids for each in self._conversations.values())
        oldest = sorted(chain.from_iterable(all_ids))[-limit]
        for key, each in [*self._conversations.items()]:
            ids = each.message_ids[bisect_left(each.message_ids, oldest) :]
            if ids:
                self._conversations[key] = replace(each, message_ids=ids)
            else:
                del self._conversations[key]

    def result(self) -> UnreadMessages:
        conversations = self._conversations
        mentions = [
            message_id
            for key, message_ids in self._mentions.items()
            if key in conversations
            for message_id in message_ids
            if _is_among(message_id, conversations[key].message_ids)
        ]
        return UnreadMessages(
            [conversations[key] for key in sorted(conversations)], sorted(mentions)
        )


def _is_among(message_id: MessageId, ids: Sequence[MessageId]) -> bool:
    """Whether a sorted list has an id; there are few mentions and perhaps many messages."""
    place = bisect_left(ids, message_id)
    return place < len(ids) and ids[place] == message_id
