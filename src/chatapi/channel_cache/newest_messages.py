"""The newest message of each realm, kept current by the event log."""

from dataclasses import dataclass

from chatapi.core.ids import MessageId, RealmId
from chatapi.db.message_ids import newest_message_id
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import CacheTag, DeletedMessagesTag, RealmTag, SentMessageTag
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, TagObserver

NO_MESSAGE = MessageId(-1)
"""Stands for "no message yet"."""


@dataclass(slots=True)
class _Newest:
    message_id: MessageId = NO_MESSAGE
    """The newest message seen in the log or in the table."""
    is_known: bool = False
    """Whether messages from before this process followed the realm were looked up."""
    deletions: int = 0


class NewestMessages:
    """A running maximum: new messages advance it, so that it is not read again after each.

    It is no `FeedCache`, whose values events only drop.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._realms: dict[RealmId, _Newest] = {}
        tags = (SentMessageTag, DeletedMessagesTag, RealmTag)
        hub.observe_tags(TagObserver(tags, self._on_tag, self._forget))

    async def of(self, db: DatabaseSession, realm_id: RealmId) -> MessageId:
        """Returns the newest message of the realm; only the first call costs a statement."""
        newest = self._newest(realm_id)
        if newest.is_known:
            return newest.message_id
        # Follow the realm's log before reading: later messages come from the log.
        await self._hub.feed(realm_id)
        deletions = newest.deletions
        found = await newest_message_id(db, realm_id) or NO_MESSAGE
        if deletions == newest.deletions and db.is_live:
            newest.message_id = max(newest.message_id, found)
            newest.is_known = True
        return max(newest.message_id, found)

    def _newest(self, realm_id: RealmId) -> _Newest:
        newest = self._realms.get(realm_id)
        if newest is None:
            newest = self._realms[realm_id] = _Newest()
        return newest

    def _on_tag(self, entry: Entry, tag: CacheTag) -> None:
        newest = self._newest(entry.realm_id)
        if isinstance(tag, SentMessageTag):
            newest.message_id = max(newest.message_id, tag.message_id)
        elif not isinstance(tag, DeletedMessagesTag) or tag.newest >= newest.message_id:
            self._forget(entry.realm_id)

    def _forget(self, realm_id: RealmId) -> None:
        newest = self._newest(realm_id)
        newest.deletions += 1
        newest.message_id = NO_MESSAGE
        newest.is_known = False
