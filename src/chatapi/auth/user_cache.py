"""Cache of users by id, as of an event; the event log invalidates it."""

from collections.abc import Awaitable, Callable, Collection, Iterable

from chatapi.auth.users import UserRecord
from chatapi.core.ids import EventNumber, RealmId, UserId
from chatapi.events.cache_tags import UserTag
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub

_MAX_USERS = 5_000
"""Per realm; those who sent the messages that are read."""


class UserCache:
    """Users as they are shown with messages; callers have a cache of their own."""

    def __init__(self, hub: Hub) -> None:
        self._users = FeedCache[UserId, UserRecord](
            hub,
            max_values=_MAX_USERS,
            value_tags=(UserTag,),
            tags_of=lambda user_id, _user: (UserTag(user_id),),
        )

    def find(
        self, realm_id: RealmId, user_ids: Iterable[UserId], as_of: EventNumber
    ) -> dict[UserId, UserRecord]:
        """Return those of the users that are cached as they were at an event."""
        return self._users.get_some_as_of(realm_id, user_ids, as_of)

    async def load(
        self,
        realm_id: RealmId,
        user_ids: Collection[UserId],
        as_of: EventNumber,
        read: Callable[[Iterable[UserId]], Awaitable[dict[UserId, UserRecord]]],
    ) -> dict[UserId, UserRecord]:
        """Return users as of a snapshot, from which `read` reads those that are not cached."""
        return await self._users.load_some_as_of(realm_id, user_ids, as_of, read)
