"""The state of a process at the moment its metrics are read."""

from collections.abc import Iterator

from msgspec import Struct
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from chatapi.auth.runtime import Runtime
from chatapi.db.availability import is_unavailable
from chatapi.events.log import EventLog


class _SlowState(Struct, frozen=True):
    """What has to be asked from other services."""

    is_bus_up: bool
    is_database_up: bool
    logged_events: int


class StateCollector(Collector):
    """Reads counters and sizes that the parts of the service have anyway."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._slow = _SlowState(is_bus_up=False, is_database_up=False, logged_events=0)

    async def ask(self) -> None:
        """Ask the database and the bus; call it before the registry is read."""
        is_bus_up = await self._runtime.hub.is_bus_healthy()
        logged = self._slow.logged_events
        try:
            async with self._runtime.reading() as db:
                logged = await EventLog(db).count_events()
        except Exception as error:
            if not is_unavailable(error):
                raise
            self._slow = _SlowState(is_bus_up, is_database_up=False, logged_events=logged)
        else:
            self._slow = _SlowState(is_bus_up, is_database_up=True, logged_events=logged)

    @override
    def collect(self) -> Iterator[Metric]:
        runtime = self._runtime
        database = runtime.database
        yield _gauge("polls_waiting", "Polls that wait for events.", runtime.hub.waiting_polls)
        yield _gauge("queues", "Event queues in memory.", runtime.queues.live_queues)
        yield _gauge("events_logged", "Events in the log of all realms.", self._slow.logged_events)
        yield _gauge("bus_up", "Whether Redis or Valkey responds; 1 without.", self._slow.is_bus_up)
        yield _gauge("database_up", "Whether the database responds.", self._slow.is_database_up)
        yield _gauge("pool_size", "Database connections the pool may open.", database.pool_size)
        yield _gauge("pool_used", "Database connections in use.", database.used_connections)
        yield CounterMetricFamily(
            "chatapi_database_round_trips",
            "Statements and commits sent to the database.",
            value=database.round_trips,
        )


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"chatapi_{name}", help_text, value=float(value))
