"""Makes clients register again where no event can describe what has changed for their users."""

from collections.abc import Iterable
from typing import ClassVar

from typing_extensions import override

from chatapi.core.ids import RealmId, UserId
from chatapi.events.audience import Nobody
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, UserTag
from chatapi.events.event import Event
from chatapi.events.queue_rows import QueueRows
from chatapi.events.unit_of_work import UnitOfWork


class ClientsRestarted(Event):
    """What is visible to some users has changed in a way that no event describes."""

    type = "clients_restarted"
    is_internal = True
    cache_tags: ClassVar = NO_CACHE_TAGS

    user_ids: list[UserId]

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield from map(UserTag, self.user_ids)

    @override
    def restarted_users(self) -> frozenset[UserId]:
        return frozenset(self.user_ids)


async def restart_clients(work: UnitOfWork, realm_id: RealmId, user_ids: Iterable[UserId]) -> None:
    """Delete all event queues of some users: their clients must register again.

    Call it while holding the realm's lock. An event is logged as well, for queues that are being
    registered at the same time and have no row yet.
    """
    restarted = sorted(set(user_ids))
    if not restarted:
        return
    work.end_queues(realm_id, await QueueRows(work.db).delete_of_users(restarted))
    work.emit(realm_id, ClientsRestarted(user_ids=restarted), Nobody())
