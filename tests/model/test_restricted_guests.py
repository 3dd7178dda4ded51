"""Clients of guests who see only some users follow by events who is visible to them.

The histories of `test_clients.py` include restricted guests, too. In these, users mostly come and
go where the guest is, nothing happens that ends queues, and so none may end.
"""

import os
from random import Random

from tests.model.actions import Focus, Step, any_focus, any_step
from tests.model.actions.channels import leave
from tests.model.client_history import History, Round, live
from tests.model.clients import Client, ClientSpec, any_client_spec
from tests.model.processes import Processes
from tests.model.searching import assert_none_fails

HISTORIES = int(os.environ.get("CHATAPI_TEST_HISTORIES", "100")) // 4
"""How many random histories run on SQLite; PostgreSQL runs a tenth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
_ROUNDS = 14
_ACTIONS = frozenset(
    {
        "add_people",
        "archive",
        "change_look",
        "create_bot",
        "create_channel",
        "end_or_return_account",
        "end_or_return_bot",
        "fill_profile_field",
        "create_profile_field",
        "give_bot",
        "join",
        "leave",
        "leave_and_rejoin",
        "remove_people",
        "rename_user",
        "send_direct",
        "set_status",
        "show_address",
    }
)
"""What changes who is visible, or how; and nothing that makes clients register again, or that
changes the presence of users."""
_CONCURRENT = 0.2
_EAGER = 0.5
_LATE = 0.15
_RESTARTING = 0.02


async def test_clients_of_restricted_guests_agree_and_keep_their_queues(
    processes: Processes, backend: str
) -> None:
    share = HISTORIES if backend == "sqlite" else HISTORIES // 10
    names = (f"{_SEED}/{number}" for number in range(max(1, share)))
    histories = ((name, _random_history(Random(name))) for name in names)
    await assert_none_fails(histories, lambda each: _failure(processes, each))


def _random_history(chance: Random) -> History:
    focus = any_focus(chance, "guest")
    clients = (
        ClientSpec("guest", "eager"),
        ClientSpec("guest", "late"),
        ClientSpec("guest", "once"),
        any_client_spec(chance, "guest"),
        any_client_spec(chance, "member"),
    )
    # At first the guest sees all users, in a channel with all users.
    leaves = Step(leave, "guest", 0, {"channel": 0})
    first = Round((leaves,), registers=(), eager_read=True, late_read=True, process=0)
    rounds = tuple(_random_round(chance, focus) for _ in range(_ROUNDS))
    return History(clients, (first, *rounds), hides_people=True, compares_presence=True)


def _random_round(chance: Random, focus: Focus) -> Round:
    count = chance.choice((2, 3)) if chance.random() < _CONCURRENT else 1
    return Round(
        steps=tuple(_step(chance, focus) for _ in range(count)),
        registers=(),
        eager_read=chance.random() < _EAGER,
        late_read=chance.random() < _LATE,
        process=chance.randint(0, 1),
        restarts=chance.random() < _RESTARTING,
    )


def _step(chance: Random, focus: Focus) -> Step:
    while True:
        step = any_step(chance, focus)
        if step.action.__name__ in _ACTIONS:
            return step


async def _failure(processes: Processes, history: History) -> str | None:
    try:
        clients: list[Client] = await live(processes, history)
    except AssertionError as error:
        return str(error)
    ended = [client.spec for client in clients if client.restarts]
    return f"Queues ended: {ended}" if ended else None
