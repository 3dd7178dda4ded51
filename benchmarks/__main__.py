"""`python3 dev.py bench`: both databases, side by side with the yardstick; prints ratios."""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from benchmarks.http_client import Account, build_request
from benchmarks.servers import (
    RunningServer,
    bare_server,
    chat_server,
    create_account,
    run_command,
)
from benchmarks.workloads import delivery_latency, kib_per_waiting_queue, requests_per_second
from tests.support.temporary_postgres import temporary_postgres

_ROUNDS = 5


@dataclass
class Report:
    """Rows of the table that is printed at the end."""

    database: str
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, what: str, measured: str, expected: str = "") -> None:
        self.rows.append((what, measured, expected))

    def show(self, console: Console) -> None:
        table = Table("measured on " + self.database, "result", "expected")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)


@dataclass(frozen=True)
class Servers:
    """What is measured, and what it is measured beside."""

    chat: RunningServer
    bare: RunningServer


@contextmanager
def databases(kind: str) -> Iterator[tuple[str, str]]:
    """The addresses of an empty database for the service and of one for the yardstick."""
    with tempfile.TemporaryDirectory(prefix="chatapi-bench-") as folder:
        if kind == "sqlite":
            yield f"sqlite+aiosqlite:///{folder}/chat.db", f"sqlite+aiosqlite:///{folder}/bare.db"
            return
        with temporary_postgres() as server:
            asyncio.run(server.create_database("chat"))
            asyncio.run(server.create_database("bare"))
            yield server.url_for("chat"), server.url_for("bare")


def measure(kind: str, *, scale: float) -> Report:
    report = Report(kind)
    with databases(kind) as (chat_url, bare_url):
        environment = {
            "CHATAPI_DATABASE_URL": chat_url,
            "CHATAPI_RATE_LIMITS": "off",
            "CHATAPI_QUEUES_PER_USER": "5000",
            "CHATAPI_LOG_LEVEL": "warning",
        }
        run_command(environment, "db", "upgrade")
        run_command(environment, "org", "create", "--name", "Benchmark")
        owner = create_account(environment, "owner@example.com", "owner")
        writer = create_account(environment, "writer@example.com", "member")
        with (
            chat_server(environment) as chat,
            bare_server({"BARE_DATABASE_URL": bare_url}) as bare,
        ):
            asyncio.run(measure_servers(report, Servers(chat, bare), (owner, writer), scale))
    return report


async def measure_servers(
    report: Report, servers: Servers, accounts: tuple[Account, Account], scale: float
) -> None:
    chat, bare = servers.chat, servers.bare
    owner, writer = accounts
    report.add("first answer after start", f"{chat.seconds_to_first_answer:.2f} s", "< 2 s")
    report.add("resident memory after start", f"{chat.resident_kib() / 1024:.0f} MB", "< 120 MB")
    bare_get = build_request("GET", "/bare")
    bare_insert = build_request("POST", "/insert")
    own_user = build_request("GET", "/api/v1/users/me", owner)
    register = build_request("POST", "/api/v1/register", owner)
    rename = build_request("PATCH", "/api/v1/settings", writer, {"enter_sends": True})
    for what, request, yardstick, beside, expected, requests in (
        ("GET /users/me", own_user, bare_get, "the bare GET", ">= 0.50", 3000),
        ("POST /register", register, bare_insert, "the bare INSERT", "", 300),
        ("PATCH /settings, no change", rename, bare_insert, "the bare INSERT", "", 1000),
    ):
        ratios = []
        count = max(100, int(requests * scale))
        for _ in range(_ROUNDS):
            base = await requests_per_second(bare.port, yardstick, count)
            ratios.append(await requests_per_second(chat.port, request, count) / base)
        report.add(f"{what} / {beside}", f"{statistics.median(ratios):.2f}", expected)
    latency = await delivery_latency(
        chat.port, owner, writer, pollers=200, rounds=max(1, int(30 * scale))
    )
    report.add("delivery to 200 pollers, p50", f"{latency.p50:.1f} ms")
    report.add("delivery to 200 pollers, p99", f"{latency.p99:.1f} ms", "< 50 ms")
    memory = await kib_per_waiting_queue(chat, owner, count=1000)
    report.add("memory per waiting queue", f"{memory:.1f} KiB", "<= 20 KiB")
    report.add("resident memory at the end", f"{chat.resident_kib() / 1024:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help="only this one")
    parser.add_argument("--scale", type=float, default=1.0, help="how long to measure")
    options = parser.parse_args()
    console = Console()
    for kind in [options.database] if options.database else ["sqlite", "postgresql"]:
        measure(kind, scale=options.scale).show(console)


if __name__ == "__main__":
    main()
