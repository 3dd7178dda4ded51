"""How many messages several processes send together, compared with one."""

import os
import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import uvloop

from benchmarks.databases import databases
from benchmarks.http_client import Account, build_request
from benchmarks.report import Report
from benchmarks.running import HELLO, service_environment
from benchmarks.servers import chat_server, create_account, run_command
from benchmarks.workloads import spread_per_second
from tests.support.temporary_valkey import temporary_valkey

_PROCESSES = 4
_ROUNDS = 3
_DOMAIN = "localhost"


def measure_processes(report: Report, scale: float) -> None:
    """Into one organization, and into as many as there are processes; PostgreSQL and Valkey.

    The kinds take turns, each with processes of its own: idle ones would take part of the machine
    from those that are measured.
    """
    if report.database == "sqlite":
        return
    with databases(report.database) as (url, _), temporary_valkey() as valkey:
        environment = {**service_environment(url), "CHATAPI_REDIS_URL": valkey.url}
        run_command(environment, "db", "upgrade")
        owners = [_create_organization(environment, number) for number in range(_PROCESSES)]
        count = max(200, int(4_000 * scale))
        rounds = [_speeds(environment, owners, count) for _ in range(_ROUNDS)]
    alone = statistics.median(speeds[0] for speeds in rounds)
    together = statistics.median(speeds[1] / speeds[0] for speeds in rounds)
    apart = statistics.median(speeds[2] / speeds[0] for speeds in rounds)
    report.add("sends by one process, 16 connections", alone, "per second")
    name = f"sends into one organization by {_PROCESSES} processes / by one process"
    report.add(name, together, expected=">= 1.00")
    cores = min(_PROCESSES, len(os.sched_getaffinity(0)))
    name = f"sends by {_PROCESSES} processes into {_PROCESSES} organizations / one into one"
    report.add(name, apart, expected=f">= {0.8 * cores:.2f} (0.8 x cores)")


def _create_organization(environment: dict[str, str], number: int) -> Account:
    """Returns its owner."""
    subdomain = f"bench{number}"
    name = f"Benchmark {number}"
    run_command(environment, "org", "create", "--name", name, "--subdomain", subdomain, "--yes")
    owner = create_account(environment, "owner@example.com", "owner", organization=subdomain)
    return Account(owner.email, owner.api_key, host=f"{subdomain}.{_DOMAIN}")


def _speeds(
    environment: Mapping[str, str], owners: Sequence[Account], count: int
) -> tuple[float, float, float]:
    """Messages per second: one process, several of them, several with an organization each."""
    return (
        _speed(environment, owners[:1], count, processes=1),
        _speed(environment, owners[:1], count, processes=_PROCESSES),
        _speed(environment, owners, count, processes=_PROCESSES),
    )


def _speed(
    environment: Mapping[str, str], owners: Sequence[Account], count: int, *, processes: int
) -> float:
    sends = [
        build_request("POST", "/api/v1/messages", owner, {**HELLO, "to": "general"})
        for owner in owners
    ]
    with ExitStack() as servers:
        ports = [
            servers.enter_context(chat_server(dict(environment))).port for _ in range(processes)
        ]
        return uvloop.run(spread_per_second(ports, sends, count))
