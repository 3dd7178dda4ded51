"""The bus carries committed events to the hubs of all processes.

It may lose events; the log does not.
"""

from collections.abc import Callable
from typing import Protocol

import orjson
from msgspec import Struct

from chatapi.core.deployment import FindDeployment
from chatapi.core.ids import RealmId
from chatapi.events.entry import Entry, load_entry
from chatapi.events.peers import NoPeers, Peers


class Batch(Struct, frozen=True):
    """The events of one transaction: logged and ephemeral ones."""

    realm_id: RealmId
    logged: tuple[Entry, ...] = ()
    ephemeral: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.logged or self.ephemeral)

    def encode(self) -> bytes:
        return orjson.dumps(
            {
                "realm": self.realm_id,
                "logged": [entry.to_row() for entry in self.logged],
                "ephemeral": [entry.to_row() for entry in self.ephemeral],
            }
        )

    @classmethod
    def decode(cls, data: bytes) -> "Batch":
        content = orjson.loads(data)
        realm_id = RealmId(content["realm"])
        return cls(
            realm_id=realm_id,
            logged=tuple(load_entry(realm_id, *row) for row in content["logged"]),
            ephemeral=tuple(load_entry(realm_id, *row) for row in content["ephemeral"]),
        )


Receiver = Callable[[Batch], None]
FollowsRealm = Callable[[RealmId], bool]
"""Whether a process uses the events of a realm: those of others need not be decoded."""


class Bus(Protocol):
    """Carries batches to the other processes."""

    peers: Peers
    """The same processes, one by one."""

    async def start(
        self, receive: Receiver, find_deployment: FindDeployment, follows: FollowsRealm
    ) -> None:
        """Begin to receive batches, only from processes of the same deployment."""

    def publish(self, batch: Batch) -> None:
        """Send a batch without waiting: its transaction is already committed."""

    async def is_healthy(self) -> bool: ...

    async def close(self) -> None: ...


class LocalBus:
    """The bus of a single process: its own hub already has every event."""

    def __init__(self) -> None:
        self.peers: Peers = NoPeers()

    async def start(
        self, receive: Receiver, find_deployment: FindDeployment, follows: FollowsRealm
    ) -> None:
        """Do nothing: there are no other processes to receive from."""

    def publish(self, batch: Batch) -> None:
        """Do nothing: there are no other processes to send to."""

    async def is_healthy(self) -> bool:
        return True

    async def close(self) -> None:
        """Do nothing: there is no connection to close."""
