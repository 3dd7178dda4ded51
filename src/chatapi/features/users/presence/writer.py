"""Writes pings, concurrent ones in one group commit, and emits changes of presence."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from chatapi.auth.users import UserRecord
from chatapi.core.ids import RealmId, UserId
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.users.presence.events import PresenceChanged
from chatapi.features.users.presence.repository import PresenceRepository
from chatapi.features.users.presence.rules import NEVER_SEEN, LastSeen, PingStatus
from chatapi.permissions.user_visibility import user_visible_to

MAX_PEOPLE_TO_NOTIFY = 100
"""In larger realms presence changes all the time; clients learn of it by their next ping."""


class Ping(Struct, frozen=True):
    """A report that a client of a user is connected."""

    user: UserRecord
    email: str
    status: PingStatus
    at: datetime


class PresenceWriter:
    """Writes pings of one realm, without its lock: presence is not part of the order of events."""

    def __init__(self, realm_id: RealmId) -> None:
        self._realm_id = realm_id

    async def write(self, work: UnitOfWork, pings: Sequence[Ping]) -> Sequence[None]:
        repository = PresenceRepository(work.db, self._realm_id)
        # First, since it keeps other transactions from writing presence of the realm.
        last_update_id = await repository.take_update_ids(len(pings))
        before = await repository.list_some({ping.user.id for ping in pings})
        changed: dict[UserId, LastSeen] = {}
        news: list[tuple[Ping, LastSeen]] = []
        for ping in pings:
            seen = changed.get(ping.user.id) or before.get(ping.user.id, NEVER_SEEN)
            now = seen.after_ping(ping.status, ping.at)
            if now != seen:
                changed[ping.user.id] = now
            if now.state(ping.at) is not seen.state(ping.at):
                news.append((ping, now))
        await repository.replace(changed, last_update_id)
        if news and await self._is_small(repository):
            for ping, now in news:
                event = PresenceChanged.of(ping.user, ping.email, now, ping.at)
                work.emit(self._realm_id, event, to=user_visible_to(ping.user))
        return [None] * len(pings)

    async def _is_small(self, repository: PresenceRepository) -> bool:
        limit = MAX_PEOPLE_TO_NOTIFY + 1
        return await repository.count_people(limit) < limit
