"""Counters and histograms that are recorded while the service works."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Histogram
from typing_extensions import override

from chatapi.core.measurements import Measurements

_REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
_DELIVERY_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64, 100)


class MetricsRecorder(Measurements):
    """Records measurements in a registry of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "chatapi_requests",
            "Requests by method, declared path and status.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._request_seconds = Histogram(
            "chatapi_request_seconds",
            "Time from the arrival of a request to the end of its response; polls wait.",
            ("method", "route"),
            buckets=_REQUEST_SECONDS,
            registry=self.registry,
        )
        self._batch_sizes = Histogram(
            "chatapi_commit_batch_size",
            "Writes that were committed in one transaction.",
            buckets=_BATCH_SIZES,
            registry=self.registry,
        )
        self._delivery_seconds = Histogram(
            "chatapi_delivery_seconds",
            "Time from an event's arrival in this process until a waiting poll goes on.",
            buckets=_DELIVERY_SECONDS,
            registry=self.registry,
        )
        self._jobs = Counter(
            "chatapi_job_runs",
            "Runs of periodic jobs.",
            ("name", "outcome"),
            registry=self.registry,
        )
        self._recorders: dict[tuple[str, str, int], _RequestRecorder] = {}
        """Looking labels up costs more than counting."""

    @override
    def request_ended(self, method: str, route: str, status: int, seconds: float) -> None:
        recorder = self._recorders.get((method, route, status))
        if recorder is None:
            recorder = self._recorder_of(method, route, status)
        count, observe = recorder
        count()
        observe(seconds)

    def _recorder_of(self, method: str, route: str, status: int) -> "_RequestRecorder":
        # Clients can invent methods, and each combination of labels stays in memory.
        method = method if method in _METHODS else "other"
        recorder = (
            self._requests.labels(method, route, str(status)).inc,
            self._request_seconds.labels(method, route).observe,
        )
        if method != "other":
            self._recorders[method, route, status] = recorder
        return recorder

    @override
    def batch_committed(self, size: int) -> None:
        self._batch_sizes.observe(size)

    @override
    def poll_woken(self, seconds: float) -> None:
        self._delivery_seconds.observe(seconds)

    @override
    def job_ended(self, name: str, *, has_failed: bool) -> None:
        self._jobs.labels(name, "failure" if has_failed else "success").inc()


_RequestRecorder = tuple[Callable[[], None], Callable[[float], None]]
