"""What recording metrics adds to a send.

Two servers that do the same differ by up to 3 % in processor time, more than metrics cost. So the
calls that a send makes to the recorder are measured by themselves, in turns with sends.
"""

import statistics
import time

from benchmarks.servers import RunningServer
from benchmarks.workloads import throughput
from chatapi.http.request import ApiRequest
from chatapi.metrics.recorder import MetricsRecorder

_ROUNDS = 7
_RECORDINGS = 20_000


async def share_of_metrics(server: RunningServer, send: bytes, count: int) -> float:
    """Processor time of recording one send, divided by the one of the send."""
    recorder = MetricsRecorder()
    _record(recorder, 100)
    shares: list[float] = []
    for _ in range(_ROUNDS):
        sending = await throughput(server, send, count)
        started = time.thread_time()
        _record(recorder, _RECORDINGS)
        milliseconds = (time.thread_time() - started) * 1000 / _RECORDINGS
        shares.append(milliseconds / sending.processor_ms)
    return statistics.median(shares)


def _record(recorder: MetricsRecorder, times: int) -> None:
    """As for a send that is committed alone, and so pays for the whole batch."""
    scope = {"type": "http", "method": "POST", "path": "/", "route_path": "/messages"}
    request = ApiRequest({**scope, "headers": [], "query_string": b""}, _no_body)
    for _ in range(times):
        recorder.request_ended(request.method, request.route_path, 200, request.waited)
        recorder.batch_committed(1)


async def _no_body() -> dict[str, object]:
    return {"type": "http.disconnect"}
