"""The same requests by JSON bodies and by forms: processor time of the server."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.http_client import Account, build_request
from benchmarks.servers import RunningServer
from benchmarks.workloads import cost_of
from benchmarks.world import World

_ROUNDS = 9


@dataclass(frozen=True)
class Body:
    """A request that is sent both ways."""

    name: str
    path: str
    parameters: dict[str, object]
    count: int
    """How often in one round."""


def bodies(world: World) -> Sequence[Body]:
    """Text only, and lists and objects, which are JSON inside the fields of a form."""
    message: dict[str, object] = {
        "type": "channel",
        "to": world.channels_by_size[1_000],
        "topic": "greetings",
        "content": "Hello world, how are you today?",
    }
    queue: dict[str, object] = {
        "event_types": ["message", "update_message", "reaction", "subscription", "realm_user"],
        # Without the state, which costs many times as much as all else.
        "fetch_event_types": [],
        "narrow": [{"operator": "channel", "operand": "general"}],
        "client_capabilities": {
            "archived_channels": True,
            "bulk_message_deletion": True,
            "empty_topic_name": True,
            "notification_settings_null": True,
            "user_settings_object": True,
        },
        "apply_markdown": True,
        "client_gravatar": True,
        "slim_presence": True,
    }
    return [
        Body("send", "/api/v1/messages", message, count=1_000),
        Body("register without state", "/api/v1/register", queue, count=200),
    ]


async def json_against_form(
    server: RunningServer, sender: Account, body: Body, count: int
) -> tuple[float, float]:
    """The median ratio of the rounds, and microseconds of processor time for one form.

    Both are sent in each round; who comes first changes from round to round.
    """
    form, as_json = (
        [build_request("POST", body.path, sender, body.parameters, is_json=is_json)] * count
        for is_json in (False, True)
    )
    ratios: list[float] = []
    seconds: list[float] = []
    for number in range(_ROUNDS):
        step = -1 if number % 2 else 1
        costs = [(await cost_of(server, each)).processor for each in (form, as_json)[::step]]
        by_form, by_json = costs[::step]
        ratios.append(by_json / by_form)
        seconds.append(by_form / count)
    return statistics.median(ratios), statistics.median(seconds) * 1e6
