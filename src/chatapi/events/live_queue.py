"""The in-memory state of a queue that this process serves, and the reader who polls it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from msgspec import Struct

from chatapi.core.clock import stopwatch
from chatapi.core.ids import EventId, QueueId, RealmId, UserId
from chatapi.core.roles import Role
from chatapi.events.client import ClientProfile, ClientView
from chatapi.events.feed import Feed
from chatapi.events.membership import Membership, PastRole
from chatapi.events.queue_rows import QueueRecord


@dataclass(slots=True)
class LiveQueue:
    """A queue that this process has served; its state can be read again from its row."""

    id: QueueId
    realm_id: RealmId
    user_id: UserId
    profile: ClientProfile
    position: EventId
    """The last event that its client has acknowledged, as far as this process knows."""
    idle: timedelta
    expires_at: datetime
    ephemeral_seen: int
    epoch: int
    """The newest epoch up to which its client is known to have seen this history."""
    polls: int = 0
    """The number of polls so far; all but the last may belong to broken connections."""
    polled_at: float = field(default_factory=stopwatch)
    _last_view: "tuple[Reader, ClientView] | None" = None

    def view_of(self, reader: "Reader") -> ClientView:
        """Return the reader's view of the queue; computed again only for another `Reader`."""
        if self._last_view is None or self._last_view[0] is not reader:
            view = ClientView(
                user_id=self.user_id,
                role=reader.role,
                profile=self.profile,
                sees_all_users=reader.sees_all_users,
                receives_typing=reader.receives_typing,
                membership=reader.membership,
                queue_id=self.id,
                visible_user_ids=reader.visible_user_ids,
            )
            if reader.past_roles:
                view = view.with_past_roles(reader.past_roles)
            self._last_view = (reader, view)
        return self._last_view[1]


class Reader(Struct, frozen=True):
    """The user who polls, as authentication found them."""

    realm_id: RealmId
    user_id: UserId
    role: Role
    past_roles: tuple[PastRole, ...]
    """The roles they had as far back as the log may reach, the oldest first."""
    sees_all_users: bool
    visible_user_ids: frozenset[UserId]
    receives_typing: bool
    membership: Membership
    is_current: Callable[[], bool]
    """False as soon as an event says that something about the reader has changed."""


def live_queue(record: QueueRecord, feed: Feed) -> LiveQueue:
    return LiveQueue(
        id=record.id,
        realm_id=record.realm_id,
        user_id=record.user_id,
        profile=ClientProfile.shared(record.client),
        position=record.position,
        idle=timedelta(seconds=record.idle_seconds),
        expires_at=record.expires_at,
        ephemeral_seen=feed.ephemeral_seen,
        epoch=record.epoch,
    )
