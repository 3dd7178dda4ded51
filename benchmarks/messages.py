"""What people do with messages: search, narrow, react, rename a long topic."""

import itertools
from collections.abc import Iterator, Sequence

from benchmarks.http_client import Account, build_request
from benchmarks.world import World


def searches(reader: Account, count: int) -> dict[str, list[bytes]]:
    """For a word that every message has, and for words that one has each."""
    common = [_narrow(reader, [("search", "message")])] * count
    # Another word each time: what the database has just read says nothing.
    rare = [_narrow(reader, [("search", str(1_000 + 37 * number))]) for number in range(count)]
    return {"a common word": common, "a rare word": rare}


def newest_of_topic(world: World, reader: Account) -> bytes:
    """What a client asks for when a user opens the busiest topic."""
    return _narrow(reader, _busy_topic(world), num_before=100)


def first_unread_of_topic(world: World, reader: Account) -> bytes:
    """What most clients ask for when a user opens a topic."""
    return _narrow(reader, _busy_topic(world), anchor="first_unread")


def page_of_channel(world: World, reader: Account, anchor: int) -> bytes:
    """What a client asks for when a user reads further up."""
    terms = [("channel", world.history_channel)]
    return _narrow(reader, terms, anchor=str(anchor), num_before=100)


def newest_of_all(reader: Account) -> bytes:
    """What a client asks for when a user opens the feed of all channels."""
    return _narrow(reader, [], num_before=100)


def first_unread_of_all(reader: Account) -> bytes:
    """What a client asks for when a user opens that feed where they left it."""
    return _narrow(reader, [], anchor="first_unread")


NARROWS = (
    "is:mentioned",
    "is:starred",
    "the first unread message of a topic",
    "the first unread message of all",
)


def narrows(world: World, count: int) -> dict[str, list[bytes]]:
    """What clients open most."""
    reader = world.readers[0]
    asked = (
        _narrow(reader, [("is", "mentioned")]),
        _narrow(reader, [("is", "starred")]),
        _narrow(reader, _busy_topic(world), anchor="first_unread"),
        first_unread_of_all(reader),
    )
    return {name: [request] * count for name, request in zip(NARROWS, asked, strict=True)}


def _busy_topic(world: World) -> list[tuple[str, object]]:
    return [("channel", world.history_channel), ("topic", world.busy_topic)]


def reactions(world: World, count: int) -> list[bytes]:
    """To another message each time."""
    return [
        build_request(
            "POST",
            f"/api/v1/messages/{number}/reactions",
            world.readers[0],
            {"emoji_name": "octopus"},
        )
        for number in range(1, count + 1)
    ]


def renamings(world: World, owner: Account, count: int) -> Sequence[bytes]:
    """The longest topic, there and back."""
    names: Iterator[str] = itertools.cycle(["renamed", world.busy_topic])
    return [
        build_request(
            "PATCH",
            f"/api/v1/messages/{world.busy_message}",
            owner,
            {
                "topic": next(names),
                "propagate_mode": "change_all",
                "send_notification_to_new_thread": False,
            },
        )
        for _ in range(count)
    ]


def _narrow(
    reader: Account,
    terms: Sequence[tuple[str, object]],
    *,
    anchor: str = "newest",
    num_before: int = 50,
) -> bytes:
    narrow = [{"operator": operator, "operand": operand} for operator, operand in terms]
    around = {"num_before": num_before, "num_after": 50 if anchor == "first_unread" else 0}
    return build_request(
        "GET", "/api/v1/messages", reader, {"anchor": anchor, "narrow": narrow, **around}
    )
