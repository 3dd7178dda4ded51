"""Per-process cache of presence, invalidated by changes of users and continued by pings."""

from collections.abc import Awaitable, Callable

from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.cache_tags import CacheTag, SharedSectionTag, SharedStateTag
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub
from chatapi.presence_cache.recent import RecentPresences

_USERS: tuple[CacheTag] = (SharedSectionTag("realm_user"),)
"""Presence is shown with the user's email, and only of active users."""

Load = Callable[[], Awaitable[RecentPresences]]


class PresenceCache:
    """The users of each realm who were seen lately.

    Presence changes without logged events, all the time: whoever reads what is cached adds what
    has changed since, which they find by the number of the last change.
    """

    def __init__(self, hub: Hub) -> None:
        self._recent = FeedCache[None, RecentPresences](
            hub,
            max_values=1,
            realm_tags=(SharedStateTag,),
            value_tags=(SharedSectionTag,),
            tags_of=lambda _key, _recent: _USERS,
        )

    async def get_as_of(self, realm_id: RealmId, as_of: EventNumber, load: Load) -> RecentPresences:
        """Return what is known of users as of a snapshot, from which `load` reads it otherwise."""
        return await self._recent.load_as_of(realm_id, None, as_of, load)

    async def get(self, realm_id: RealmId, load: Load, *, is_live: bool) -> RecentPresences:
        """Return what is known of users now; `is_live` says whether `load` sees the latest."""
        known = self._recent.get(realm_id, None)
        if known is not None:
            return known
        return await self._recent.load(realm_id, None, load, is_live=is_live)
