"""The service with an organization of some size, the yardstick beside it, and who asks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from benchmarks.databases import databases
from benchmarks.http_client import Account, build_request
from benchmarks.report import Report
from benchmarks.servers import RunningServer, bare_server, chat_server, create_account, run_command
from benchmarks.world import Size, World, fill

HELLO = {"type": "channel", "topic": "greetings", "content": "Hello world, how are you today?"}


@dataclass(frozen=True)
class Measured:
    """What is measured, what it is measured beside, and who asks."""

    report: Report
    chat: RunningServer
    bare: RunningServer
    world: World
    owner: Account
    scale: float

    def rounds(self, count: int) -> int:
        return max(3, int(count * self.scale))


@contextmanager
def running(report: Report, scale: float, size: Size) -> Iterator[Measured]:
    """An organization of the given size, and the yardstick."""
    with databases(report.database) as (chat_url, bare_url):
        environment = service_environment(chat_url)
        run_command(environment, "db", "upgrade")
        run_command(environment, "org", "create", "--name", "Benchmark")
        owner = create_account(environment, "owner@example.com", "owner")
        owner = replace(owner, host=size.host)
        world = fill(chat_url, size)
        with (
            chat_server(environment) as chat,
            bare_server({"BARE_DATABASE_URL": bare_url}) as bare,
        ):
            yield Measured(report, chat, bare, world, owner, scale)


def service_environment(database_url: str) -> dict[str, str]:
    """The settings that the service is measured with."""
    return {
        "CHATAPI_DATABASE_URL": database_url,
        "CHATAPI_RATE_LIMITS": "off",
        "CHATAPI_QUEUES_PER_USER": "5000",
        # Responses that are refused for now are counted; thousands of warnings say no more.
        "CHATAPI_LOG_LEVEL": "error",
    }


def hello(sender: Account, channel_id: int) -> bytes:
    """The request that sends a short message to a channel."""
    return build_request("POST", "/api/v1/messages", sender, {**HELLO, "to": channel_id})
