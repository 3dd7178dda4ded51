"""The processes of a deployment: direct messages between them, and leases on realms."""

from collections.abc import Callable
from typing import NewType, Protocol

from chatapi.core.deployment import FindDeployment
from chatapi.core.ids import RealmId

ProcessId = NewType("ProcessId", str)
"""Names a running process; a restarted one has another name."""

ReceiveFromPeer = Callable[[bytes], None]


class Peers(Protocol):
    """Reaches the other processes; like the bus, it may lose messages.

    A lease is advice, not a lock: two processes may both believe that they hold one.
    """

    process_id: ProcessId

    async def start(self, receive: ReceiveFromPeer, find_deployment: FindDeployment) -> None:
        """Begin to receive messages."""

    async def send(self, process_id: ProcessId, data: bytes) -> bool:
        """Send a message to a process; returns whether the process is there to receive it."""

    async def claim(self, realm_id: RealmId, seconds: float) -> ProcessId | None:
        """Take or renew the lease on a realm; returns the process that holds it now.

        Returns None if that cannot be found out.
        """

    async def stop_receiving(self) -> None:
        """Receive nothing more, so that other processes turn to another one."""

    async def close(self) -> None: ...


class NoPeers:
    """For a process that shares its database with none, or has no way to reach the others."""

    process_id = ProcessId("")

    async def start(self, receive: ReceiveFromPeer, find_deployment: FindDeployment) -> None:
        """Do nothing: there are no other processes to receive from."""

    async def send(self, process_id: ProcessId, data: bytes) -> bool:
        del process_id, data
        return False

    async def claim(self, realm_id: RealmId, seconds: float) -> ProcessId | None:
        del realm_id, seconds
        return None

    async def stop_receiving(self) -> None:
        """Do nothing: nothing is received."""

    async def close(self) -> None:
        """Do nothing: there is no connection to close."""
