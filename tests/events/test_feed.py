"""A realm's feed: in order, without gaps or duplicates, whatever order entries arrive in."""

import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatapi.core.ids import EventNumber, QueueId, RealmId, UserId
from chatapi.core.measurements import Measurements
from chatapi.events.audience import Nobody, Users
from chatapi.events.cache_tags import UserTag
from chatapi.events.entry import Entry
from chatapi.events.event import QueuesDeleted
from chatapi.events.feed import Feed
from chatapi.events.waiter import Waiter
from tests.support.sample_events import PersonTouched, Whispered, entry, view


def feed_at(position: int) -> Feed:
    feed = Feed(RealmId(1), Measurements())
    feed.start_at(EventNumber(position))
    return feed


def numbers(entries: list[Entry]) -> list[int]:
    return [entry.number for entry in entries]


async def until_told(feed: Feed) -> None:
    """Wait until all polls that an event concerns know of it."""
    await asyncio.gather(*feed._responding)


async def told(feed: Feed, entry: Entry) -> None:
    feed.notify(entry)
    await until_told(feed)


class TestOrder:
    def test_appends_the_next_entry(self) -> None:
        feed = feed_at(4)
        assert numbers(feed.take([entry(5), entry(6)])) == [5, 6]
        assert feed.position == 6

    def test_ignores_duplicates(self) -> None:
        feed = feed_at(4)
        feed.take([entry(5)])
        assert feed.take([entry(4), entry(5)]) == []
        assert not feed.is_behind

    def test_holds_entries_until_the_gap_is_filled(self) -> None:
        feed = feed_at(4)
        assert feed.take([entry(6), entry(7)]) == []
        assert feed.is_behind
        assert numbers(feed.take([entry(5)])) == [5, 6, 7]
        assert not feed.is_behind

    def test_keeps_entries_that_arrive_before_the_clock_was_read(self) -> None:
        feed = Feed(RealmId(1), Measurements())
        assert feed.take([entry(3), entry(5), entry(6)]) == []
        assert numbers(feed.start_at(EventNumber(4))) == [5, 6]
        assert not feed.is_behind

    @given(st.permutations([*range(1, 9), 2, 5, 8]))
    def test_any_order_of_arrival_gives_the_same_result(self, arrivals: list[int]) -> None:
        feed = feed_at(0)
        taken = [feed.take([entry(number)]) for number in arrivals]
        assert numbers(list(itertools.chain(*taken))) == list(range(1, 9))


class TestMemory:
    def test_returns_entries_after_a_cursor(self) -> None:
        feed = feed_at(4)
        feed.take([entry(5), entry(6), entry(7)])
        assert numbers(feed.since(EventNumber(5))) == [6, 7]
        assert feed.since(EventNumber(7)) == []

    def test_reaches_back_to_the_clock_it_began_at(self) -> None:
        feed = feed_at(4)
        feed.take([entry(5)])
        assert feed.reaches_back_to(EventNumber(4))
        assert not feed.reaches_back_to(EventNumber(3))

    def test_evicts_the_oldest_entries(self) -> None:
        feed = feed_at(0)
        feed.take([entry(number) for number in range(1, 2001)])
        assert not feed.reaches_back_to(EventNumber(999))
        assert feed.reaches_back_to(EventNumber(1000))

    def test_covers_nothing_before_the_clock_was_read(self) -> None:
        assert not Feed(RealmId(1), Measurements()).reaches_back_to(EventNumber(0))


class TestChangesSince:
    TAGS = (UserTag(UserId(7)),)

    @pytest.fixture
    def feed(self) -> Feed:
        """Three events, of which the second is about user 7."""
        feed = feed_at(10)
        feed.take([entry(11), entry(12, PersonTouched(user_ids=frozenset({UserId(7)}))), entry(13)])
        return feed

    @pytest.mark.parametrize(("since", "expected"), [(10, True), (11, True), (12, False)])
    def test_event_with_one_of_the_tags(self, feed: Feed, since: int, expected: bool) -> None:
        assert feed.may_have_changed(self.TAGS, since=EventNumber(since)) is expected

    def test_another_process_may_be_ahead(self, feed: Feed) -> None:
        assert not feed.may_have_changed(self.TAGS, since=EventNumber(20))

    def test_unknown_events_may_have_had_it(self, feed: Feed) -> None:
        assert feed.may_have_changed((), since=EventNumber(9))


class TestEphemeralEvents:
    def test_carries_the_number_of_the_last_logged_event(self) -> None:
        feed = feed_at(4)
        feed.take([entry(5)])
        feed.take_ephemeral(entry(0, Whispered(text="x")))
        assert numbers(feed.ephemeral_since(0)) == [5]

    def test_is_returned_once_per_cursor(self) -> None:
        feed = feed_at(0)
        feed.take_ephemeral(entry(0, Whispered(text="first")))
        seen = feed.ephemeral_seen
        feed.take_ephemeral(entry(0, Whispered(text="second")))
        assert [told.event for told in feed.ephemeral_since(seen)] == [Whispered(text="second")]


class TestWaiters:
    @pytest.fixture
    async def feed(self) -> Feed:
        return feed_at(0)

    def waiter(self, feed: Feed, user_id: int, queue: str = "q", **profile: Any) -> Waiter:
        waiter = Waiter(view(user_id, **profile), QueueId(queue))
        feed.add_waiter(waiter)
        return waiter

    async def test_only_waiters_in_the_audience_are_woken(self, feed: Feed) -> None:
        first, second = self.waiter(feed, 1), self.waiter(feed, 2)
        await told(feed, entry(1, to=Users.only(UserId(2))))
        assert (first.ended.done(), second.ended.done()) == (False, True)

    async def test_unrequested_types_wake_no_waiter(self, feed: Feed) -> None:
        waiter = self.waiter(feed, 1, event_types=frozenset({"message"}))
        await told(feed, entry(1))
        assert not waiter.ended.done()

    async def test_changed_reader_is_woken_by_internal_event(self, feed: Feed) -> None:
        changed, other = self.waiter(feed, 1), self.waiter(feed, 2)
        await told(feed, entry(1, PersonTouched(user_ids=frozenset({UserId(1)}))))
        assert (changed.ended.done(), other.ended.done()) == (True, False)

    async def test_ephemeral_event_wakes_waiters(self, feed: Feed) -> None:
        waiter = self.waiter(feed, 1)
        feed.take_ephemeral(entry(0, Whispered(text="")))
        await until_told(feed)
        assert waiter.ended.done()

    async def test_deleted_queue_wakes_its_own_polls(self, feed: Feed) -> None:
        mine, other = self.waiter(feed, 1, "mine"), self.waiter(feed, 1, "other")
        await told(
            feed, entry(1, QueuesDeleted(queue_ids=frozenset({QueueId("mine")})), to=Nobody())
        )
        assert (mine.ended.done(), other.ended.done()) == (True, False)

    async def test_removed_waiter_is_forgotten(self, feed: Feed) -> None:
        waiter = self.waiter(feed, 1)
        feed.remove_waiter(waiter)
        feed.wake_all()
        assert not waiter.ended.done()
        assert feed.waiting_polls == 0
