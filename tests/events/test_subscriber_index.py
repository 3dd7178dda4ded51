"""Users are found by channel: all who may be subscribed, and few others."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chatapi.core.ids import ChannelId, EventNumber, GroupId, MessageId, QueueId, UserId
from chatapi.events.audience import (
    Audience,
    ChannelReaders,
    Everyone,
    SubscribedToSourceOnly,
    Subscribers,
    Users,
)
from chatapi.events.client import ClientProfile, ClientView
from chatapi.events.membership import Membership, SubscriptionPeriod
from chatapi.events.subscriber_index import SubscriberIndex
from chatapi.events.waiter import Waiter
from chatapi.events.waiting_polls import WaitingPolls
from tests.support.sample_events import view

PERIOD = SubscriptionPeriod(EventNumber(0), None, MessageId(0), None)
ENDED = SubscriptionPeriod(EventNumber(0), EventNumber(5), MessageId(0), MessageId(5))
HERE, ELSEWHERE = ChannelId(1), ChannelId(2)


def reader(user_id: int, *channels: ChannelId, period: SubscriptionPeriod = PERIOD) -> ClientView:
    membership = Membership(frozenset(), dict.fromkeys(channels, (period,)))
    return replace(view(user_id), membership=membership)


def reader_of_all(user_id: int) -> ClientView:
    return replace(reader(user_id), profile=ClientProfile(all_public_streams=True))


@pytest.fixture
def index() -> SubscriberIndex:
    """With ten users in another channel."""
    index = SubscriberIndex()
    for user_id in range(100, 110):
        index.add(reader(user_id, ELSEWHERE))
    return index


def found(index: SubscriberIndex, *, with_readers_of_all: bool = False) -> list[UserId]:
    users = index.find(HERE, with_readers_of_all=with_readers_of_all)
    assert users is not None
    return sorted(users)


class TestFinding:
    def test_subscribers_are_found(self, index: SubscriberIndex) -> None:
        index.add(reader(1, HERE, ELSEWHERE))
        index.add(reader(2, HERE))
        assert found(index) == [1, 2]

    def test_channel_that_nobody_waits_for_has_none(self, index: SubscriberIndex) -> None:
        assert found(index) == []

    def test_past_subscriber_is_found(self, index: SubscriberIndex) -> None:
        """Who may receive an event from before they left."""
        index.add(reader(1, HERE, period=ENDED))
        assert found(index) == [1]

    def test_user_who_joins_while_they_wait_is_found(self, index: SubscriberIndex) -> None:
        index.add(reader(1, ELSEWHERE))
        index.add(reader(1, ELSEWHERE, HERE))
        assert found(index) == [1]

    def test_user_who_comes_back_is_found(self, index: SubscriberIndex) -> None:
        back = reader(1, HERE)
        index.add(back)
        index.remove(UserId(1))
        index.add(back)
        assert found(index) == [1]

    def test_readers_of_all_public_channels_are_found_on_demand(
        self, index: SubscriberIndex
    ) -> None:
        index.add(reader_of_all(1))
        index.add(reader(2, HERE))
        assert found(index) == [2]
        assert found(index, with_readers_of_all=True) == [1, 2]

    def test_channel_of_most_users_is_not_looked_up(self, index: SubscriberIndex) -> None:
        assert index.find(ELSEWHERE, with_readers_of_all=False) is None


class TestMemory:
    def test_users_who_left_make_room_for_others(self) -> None:
        index = SubscriberIndex()
        for user_id in range(10_000):
            index.add(reader(user_id, ChannelId(user_id % 50)))
            index.remove(UserId(user_id))
        assert len(index._users) < 250
        assert max(map(int.bit_length, index._subscribers.values())) < 250

    def test_those_who_took_a_place_are_found_and_the_one_who_lost_it_comes_back(self) -> None:
        index = SubscriberIndex()
        index.add(reader(0, HERE))
        index.remove(UserId(0))
        for user_id in range(1, 1_000):
            index.add(reader(user_id, ELSEWHERE))
            index.remove(UserId(user_id))
        assert found(index) == []
        index.add(reader(0, HERE))
        assert found(index) == [0]

    def test_reader_of_all_who_lost_their_place_is_forgotten(self) -> None:
        index = SubscriberIndex()
        index.add(reader_of_all(0))
        index.remove(UserId(0))
        for user_id in range(1, 1_000):
            index.add(reader(user_id, ELSEWHERE))
            index.remove(UserId(user_id))
        assert found(index, with_readers_of_all=True) == []

    def test_user_who_came_back_keeps_their_place(self) -> None:
        index = SubscriberIndex()
        index.add(reader(0, HERE))
        index.remove(UserId(0))
        index.add(reader(0, HERE))
        for user_id in range(1, 1_000):
            index.add(reader(user_id, ELSEWHERE))
            index.remove(UserId(user_id))
        assert found(index) == [0]

    def test_users_who_wait_keep_their_places(self) -> None:
        index = SubscriberIndex()
        for user_id in range(500):
            index.add(reader(user_id, HERE if user_id % 10 == 0 else ELSEWHERE))
        for user_id in range(1_000, 5_000):
            index.add(reader(user_id, ELSEWHERE))
            index.remove(UserId(user_id))
        assert found(index) == list(range(0, 500, 10))


async def test_polls_that_end_leave_nothing_behind() -> None:
    polls = WaitingPolls()
    for user_id in range(1_000):
        waiter = Waiter(reader(user_id, HERE), QueueId("q"))
        polls.add(waiter)
        polls.remove(waiter)
        polls.remove(waiter)
    assert len(polls) == 0
    assert len(polls._subscribers._users) < 250


def channel_readers(*, is_history_protected: bool) -> ChannelReaders:
    return ChannelReaders(
        channel_id=HERE,
        is_public=not is_history_protected,
        is_web_public=False,
        is_history_protected=is_history_protected,
        open_to=GroupId(1),
    )


AUDIENCES: tuple[Audience, ...] = (
    Everyone(),
    Users.only(UserId(1), UserId(3)),
    Subscribers(channel_id=HERE, is_public=True),
    Subscribers(channel_id=HERE, is_public=False),
    SubscribedToSourceOnly(source_id=HERE, target_id=ELSEWHERE),
    channel_readers(is_history_protected=True),
    channel_readers(is_history_protected=False),
)
USERS = st.integers(0, 8).map(UserId)
VIEWS = st.builds(
    lambda user_id, channels, period, of_all: replace(
        reader(user_id, *channels, period=period),
        profile=ClientProfile(all_public_streams=of_all),
    ),
    USERS,
    st.lists(st.sampled_from([HERE, ELSEWHERE]), unique=True),
    st.sampled_from([PERIOD, ENDED]),
    st.booleans(),
)


async def polls_of(steps: Iterable[ClientView | UserId]) -> tuple[WaitingPolls, set[Waiter]]:
    """Polls begin to wait, and all those of a user end."""
    polls, waiting = WaitingPolls(), set[Waiter]()
    for step in steps:
        if isinstance(step, ClientView):
            waiter = Waiter(step, QueueId("q"))
            polls.add(waiter)
            waiting.add(waiter)
            continue
        for waiter in [each for each in waiting if each.view.user_id == step]:
            polls.remove(waiter)
            waiting.remove(waiter)
    return polls, waiting


@given(st.lists(st.one_of(VIEWS, USERS), max_size=40), st.sampled_from(AUDIENCES))
async def test_every_poll_in_an_audience_is_a_candidate(
    steps: list[ClientView | UserId], audience: Audience
) -> None:
    polls, waiting = await polls_of(steps)
    candidates = polls.candidates(audience)
    number = EventNumber(3)
    assert len(candidates) == len(set(candidates))
    assert set(candidates) <= waiting
    assert {each for each in candidates if audience.includes(each.view, number)} == {
        each for each in waiting if audience.includes(each.view, number)
    }
