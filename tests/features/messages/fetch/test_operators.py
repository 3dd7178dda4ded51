"""Every operator, its negation and random narrows of them against plain rules in Python."""

import asyncio
import os

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import MessageId
from chatapi.main import ChatApp
from tests.features.messages.fetch.conversations import ask, ids_read
from tests.features.messages.fetch.narrow_world import (
    Choice,
    NarrowWorld,
    choices_of,
    make_narrow_world,
)
from tests.model.quick_client import QuickClient
from tests.support.responses import assert_error

NARROWS = int(os.environ.get("CHATAPI_TEST_NARROWS", "600"))
"""How many random narrows there are; each database takes half of them."""
_MAX_TERMS = 4


@pytest.fixture
async def world(app: ChatApp, runtime: Runtime, realm: RealmRecord) -> NarrowWorld:
    return await make_narrow_world(QuickClient(app), runtime, realm)


async def shown(world: NarrowWorld, terms: list[tuple[Choice, bool]]) -> list[MessageId]:
    asked = [choice.term(negated=negated) for choice, negated in terms]
    return await ids_read(world.client, world.reader, *asked, num_before=1_000)


@pytest.mark.slow
async def test_every_operator_and_its_negation(world: NarrowWorld) -> None:
    assert await shown(world, []) == world.expected([])
    for choice in choices_of(world):
        for negated in (False, True):
            terms = [(choice, negated)]
            assert await shown(world, terms) == world.expected(terms), choice


async def test_random_narrows(world: NarrowWorld) -> None:
    loop = asyncio.get_running_loop()
    term = st.tuples(st.sampled_from(choices_of(world)), st.booleans())

    @hypothesis_settings(
        max_examples=NARROWS // 2,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(
        st.lists(term, max_size=_MAX_TERMS).filter(
            lambda terms: (
                [each.operator for each, negated in terms if not negated].count("with") < 2
            )
        )
    )
    def agree(terms: list[tuple[Choice, bool]]) -> None:
        found = asyncio.run_coroutine_threadsafe(shown(world, terms), loop).result(timeout=300)
        assert found == world.expected(terms)

    await asyncio.to_thread(agree)


async def test_term_with_a_hidden_message(world: NarrowWorld) -> None:
    hidden = next(facts for facts in world.messages if not facts.is_visible)
    for number in (hidden.id, 999_999_999):
        with_it: dict[str, object] = {"operator": "with", "operand": number}
        channel: dict[str, object] = {"operator": "channel", "operand": "general"}
        general = [facts.id for facts in world.messages if facts.channel == "general"]
        assert await ids_read(world.client, world.reader, with_it, channel) == general
        response = await ask(world.client, world.reader, with_it)
        refusal = assert_error(response, "BAD_REQUEST")
        assert refusal == f"Invalid narrow operator: invalid message ID {number}"
        negated = {**with_it, "negated": True}
        feed = [facts.id for facts in world.messages if facts.is_in_feed]
        assert await ids_read(world.client, world.reader, negated) == feed
