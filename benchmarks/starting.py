"""How long a server takes from the start of its process to its first response, and its memory."""

import statistics

from benchmarks.databases import databases
from benchmarks.report import Report
from benchmarks.running import service_environment
from benchmarks.servers import chat_server, run_command

_STARTS = 7


def measure_starting(report: Report, scale: float) -> None:
    """Starts with a migrated database, which the disk cache holds, as after a deployment."""
    with databases(report.database) as (url, _):
        environment = service_environment(url)
        run_command(environment, "db", "upgrade")
        run_command(environment, "org", "create", "--name", "Benchmark")
        clock: list[float] = []
        processor: list[float] = []
        memory: list[float] = []
        for _ in range(max(3, int(_STARTS * scale))):
            with chat_server(environment) as server:
                clock.append(server.seconds_to_first_answer)
                processor.append(server.processor_seconds())
                memory.append(server.resident_kib() / 1024)
    report.add("first answer after start", statistics.median(clock), "s", expected="< 1 s")
    # The least: whatever else the machine does only adds to it.
    report.add("processor time until then", min(processor), "s")
    report.add("resident memory after start", statistics.median(memory), "MiB", expected="< 90 MB")
