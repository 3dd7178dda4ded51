"""The bus carries what was committed to the hubs of all processes; it may lose, the log may not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import orjson

from chatapi.core.deployment import FindDeployment
from chatapi.core.ids import RealmId
from chatapi.events.entry import Entry, load_entry


@dataclass(frozen=True)
class Batch:
    """What one transaction has to tell: logged events and fleeting ones."""

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
                "fleeting": [entry.to_row() for entry in self.ephemeral],
            }
        )

    @classmethod
    def decode(cls, data: bytes) -> "Batch":
        content = orjson.loads(data)
        realm_id = RealmId(content["realm"])
        return cls(
            realm_id=realm_id,
            logged=tuple(load_entry(realm_id, *row) for row in content["logged"]),
            ephemeral=tuple(load_entry(realm_id, *row) for row in content["fleeting"]),
        )


Receiver = Callable[[Batch], None]


class Bus(Protocol):
    """Carries batches to the other processes."""

    async def start(self, receive: Receiver, find_deployment: FindDeployment) -> None:
        """Begin to listen, to processes of the same deployment only."""

    def publish(self, batch: Batch) -> None:
        """Hand over a batch without waiting: the request that caused it is already answered."""

    async def is_healthy(self) -> bool: ...

    async def close(self) -> None: ...


class LocalBus:
    """For one process: its own hub already has everything."""

    async def start(self, receive: Receiver, find_deployment: FindDeployment) -> None:
        """There are no others to listen to."""

    def publish(self, batch: Batch) -> None:
        """There are no others to tell."""

    async def is_healthy(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing was opened."""
