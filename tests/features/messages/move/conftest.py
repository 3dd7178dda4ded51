"""The scene of long moves."""

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.features.messages.move.continuation import MoveRunner
from tests.factories import MakeChannel, Person
from tests.features.messages.move.long_moves import LongMoveScene
from tests.support.client import ApiClient


@pytest.fixture
async def scene(
    client: ApiClient, runtime: Runtime, make_channel: MakeChannel, owner: Person, member: Person
) -> LongMoveScene:
    runtime.moves.close()
    here, there = [await make_channel(subscribers=[owner, member]) for _ in range(2)]
    return LongMoveScene(client, runtime, MoveRunner(runtime), here, there, owner, member)
