"""Which process leads the writes of a realm, where several processes write in it."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from chatapi.core.clock import stopwatch
from chatapi.core.ids import RealmId
from chatapi.events.peers import Peers, ProcessId

_LEASE_SECONDS = 1.0
"""A leader to which nothing is forwarded for so long is none any more."""
_RENEWAL_SECONDS = 0.3
_SUSPENSION_SECONDS = 1.0
"""How long a process writes itself after its leader was lost: until the lease has expired."""


@dataclass(eq=False, slots=True)
class _Leader:
    process_id: ProcessId | None
    """None: this process writes itself."""
    asked_at: float
    """When the lease was last claimed, on the clock of `stopwatch`."""
    until: float
    followed_at: float = 0.0
    """When another process last forwarded something to this one."""


class RealmLeaders:
    """The leaders as far as this process knows: whichever process claims a lease first has it.

    There is none where only one process writes. A lease lasts for as long as others forward.
    """

    def __init__(self, peers: Peers, spawn: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._peers = peers
        self._spawn = spawn
        self._leaders: dict[RealmId, _Leader] = {}

    def find(self, realm_id: RealmId) -> ProcessId | None:
        """Return the other process that leads, if there is one; does not wait."""
        leader = self._current(realm_id)
        if leader is None or leader.process_id is None:
            return None
        self._claim_if_due(realm_id, leader)
        return leader.process_id

    def elect(self, realm_id: RealmId) -> None:
        """Claim the lease of a realm if this process knows of no leader; does not wait."""
        if self._current(realm_id) is None:
            self._claim_if_due(realm_id, self._set_own(realm_id))

    def renew(self, realm_id: RealmId) -> None:
        """Another process regards this one as the leader: keep the lease."""
        leader = self._current(realm_id) or self._set_own(realm_id)
        if leader.process_id is None:
            leader.followed_at = stopwatch()
            self._claim_if_due(realm_id, leader)

    def is_followed(self, realm_id: RealmId) -> bool:
        """Whether another process has regarded this one as the leader lately."""
        leader = self._leaders.get(realm_id)
        return leader is not None and stopwatch() - leader.followed_at < _LEASE_SECONDS

    def suspend(self, realm_id: RealmId) -> None:
        """The leader was lost: this process writes itself until the lease has expired."""
        now = stopwatch()
        self._leaders[realm_id] = _Leader(None, now, now + _SUSPENSION_SECONDS)

    def _current(self, realm_id: RealmId) -> _Leader | None:
        leader = self._leaders.get(realm_id)
        if leader is not None and stopwatch() >= leader.until:
            del self._leaders[realm_id]
            return None
        return leader

    def _set_own(self, realm_id: RealmId) -> _Leader:
        leader = self._leaders[realm_id] = _Leader(None, 0.0, stopwatch() + _LEASE_SECONDS)
        return leader

    def _claim_if_due(self, realm_id: RealmId, leader: _Leader) -> None:
        now = stopwatch()
        if now - leader.asked_at >= _RENEWAL_SECONDS:
            leader.asked_at = now
            self._spawn(self._claim(realm_id, leader))

    async def _claim(self, realm_id: RealmId, leader: _Leader) -> None:
        holder = await self._peers.claim(realm_id, _LEASE_SECONDS)
        if holder is None or self._leaders.get(realm_id) is not leader:
            return
        leader.process_id = None if holder == self._peers.process_id else holder
        leader.until = stopwatch() + _LEASE_SECONDS
