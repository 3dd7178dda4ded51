"""However a response is encoded, the JSON is the same."""

import asyncio
from typing import Any

import orjson
import pytest

from chatapi.http.responses import encode_in_steps
from chatapi.wire.encoded import LargeJson

MANY = list(range(1_234))
OBJECTS: list[dict[str, object]] = [{"id": number, "text": "é" * 50} for number in MANY]


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"a": 1, "b": [], "c": {}},
        {"messages": OBJECTS},
        {"messages": OBJECTS[:100], "found": True},
        {"messages": OBJECTS[:101], "found": True},
        {"first": 1, "messages": OBJECTS, "between": {"x": [1]}, "users": MANY, "last": None},
        {"subscribers": {number: [1, 2] for number in MANY}},
        {"unread": {"streams": OBJECTS, "count": 3, "pms": []}},
        {"presences": {str(number): {"active": {"timestamp": number}} for number in MANY}},
        {str(number): number for number in MANY},
        {'"quoted" \\ key': OBJECTS},
    ],
    ids=lambda payload: ",".join(payload)[:40] or "nothing",
)
async def test_response_encoded_in_steps_is_the_json_of_its_payload(
    payload: dict[str, Any],
) -> None:
    whole = orjson.dumps(payload, option=orjson.OPT_NON_STR_KEYS)
    assert b"".join(await encode_in_steps(payload)) == whole


async def test_other_tasks_run_while_a_large_response_is_encoded() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await encode_in_steps({"texts": [{"text": "a" * 100_000}] * 1_000})
    ticking.cancel()
    assert ticks > 1


@pytest.mark.parametrize(
    "members", [{"users": MANY}, {"id": 1, "users": MANY, "last": None, "again": MANY}]
)
async def test_large_json_is_sent_as_it_is(members: dict[str, Any]) -> None:
    whole = orjson.dumps(members)
    large = LargeJson(orjson.dumps(MANY))
    payload = {name: large if value is MANY else value for name, value in members.items()}
    chunks = await encode_in_steps(payload)
    assert b"".join(chunks) == whole
    assert any(chunk is large for chunk in chunks)
    assert all(chunks)
