"""A waiting poll is responded to at once if a single event is all there is for it."""

import asyncio
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

import pytest
from typing_extensions import override

from chatapi.core.clock import SystemClock
from chatapi.core.ids import EventId, EventNumber, QueueId, RealmId, UserId
from chatapi.core.measurements import Measurements
from chatapi.core.roles import Role
from chatapi.events.client import ClientProfile
from chatapi.events.entry import Piece
from chatapi.events.event import Event
from chatapi.events.feed import Feed
from chatapi.events.live_queue import LiveQueue, Reader
from chatapi.events.membership import NO_MEMBERSHIP
from chatapi.events.waiter import PollResponse, WaitEnd, respond
from chatapi.events.waiting_poll import WaitingPoll
from chatapi.wire.encoded import SharedBodies
from tests.support.sample_events import Listed, Noted, PersonTouched, Whispered, entry


class Described(Event):
    """Its items have to be looked up."""

    type: ClassVar[str] = "test_described"

    @property
    @override
    def is_complete(self) -> bool:
        return False


@dataclass
class Response:
    """A response that does what it is told to."""

    write: Callable[[], None]
    finish: Callable[[], None]


@dataclass
class Connection:
    """The request of a poll, which has not waited yet."""

    respond: Callable[[Sequence[Piece]], PollResponse | None]
    waited: float = 0

    async def is_disconnected(self) -> bool:
        return False

    def prepare(self, pieces: tuple[Piece, ...], bodies: SharedBodies) -> PollResponse | None:
        del bodies
        return self.respond(pieces)


def _always(response: PollResponse, _pieces: Sequence[Piece]) -> PollResponse:
    return response


class Polls:
    """Polls that wait in a feed, and what was sent to them, in order."""

    def __init__(self) -> None:
        self.feed = Feed(RealmId(1), Measurements())
        self.feed.start_at(EventNumber(0))
        self.sent: list[tuple[QueueId, int]] = []
        self.finished: list[QueueId] = []
        self.is_served = True
        self.is_connected = True

    def wait(self, name: str, *, sees_all_users: bool = True) -> WaitingPoll:
        reader = Reader(
            realm_id=RealmId(1),
            user_id=UserId(1),
            role=Role.MEMBER,
            past_roles=(),
            sees_all_users=sees_all_users,
            visible_user_ids=frozenset(),
            receives_typing=True,
            membership=NO_MEMBERSHIP,
            is_current=lambda: True,
        )
        queue = LiveQueue(
            id=QueueId(name),
            realm_id=RealmId(1),
            user_id=UserId(1),
            profile=ClientProfile(),
            position=EventId(0),
            idle=timedelta(minutes=1),
            expires_at=SystemClock().now(),
            ephemeral_seen=self.feed.ephemeral_seen,
            epoch=1,
        )

        def respond(pieces: Sequence[Piece]) -> PollResponse | None:
            def write() -> None:
                self.sent += [(queue.id, piece.id) for piece in pieces]

            def finish() -> None:
                self.finished.append(queue.id)

            return Response(write, finish) if self.is_connected else None

        connection = Connection(respond)
        poll = WaitingPoll(queue, reader, self.feed, connection, lambda *_: self.is_served)
        self.feed.add_waiter(poll)
        return poll

    def publish(self, *events: Event) -> None:
        first = (self.feed.position or 0) + 1
        entries = [entry(number, event) for number, event in enumerate(events, start=first)]
        for taken in self.feed.take(entries):
            self.feed.notify(taken)


@pytest.fixture
async def polls() -> Polls:
    return Polls()


class TestResponding:
    async def test_single_event_is_sent_and_ends_the_wait(self, polls: Polls) -> None:
        poll = polls.wait("q")
        polls.publish(Noted(text="a"))
        assert await poll.ended is WaitEnd.RESPONSE
        assert polls.sent == [("q", entry(1).id)]

    async def test_callbacks_that_were_scheduled_before_run_first(self, polls: Polls) -> None:
        """As the response to the request that sent the event."""
        polls.wait("q")
        asyncio.get_running_loop().call_soon(polls.sent.append, (QueueId("sender"), 0))
        polls.publish(Noted(text="a"))
        await asyncio.sleep(0)
        assert [queue_id for queue_id, _ in polls.sent] == ["sender", "q"]

    async def test_all_responses_are_sent_before_a_poll_goes_on(self, polls: Polls) -> None:
        waiting = [polls.wait(f"q{number}") for number in range(120)]
        polls.publish(Noted(text="a"))
        await next(asyncio.as_completed([poll.ended for poll in waiting]))
        assert len(polls.sent) == 120
        assert {await poll.ended for poll in waiting} == {WaitEnd.RESPONSE}

    async def test_other_requests_are_served_between_responses(self, polls: Polls) -> None:
        for number in range(120):
            polls.wait(f"q{number}")
        polls.publish(Noted(text="a"))
        sent = []
        for _ in range(4):
            await asyncio.sleep(0)
            sent.append(len(polls.sent))
        assert sent == [100, 120, 120, 120]

    async def test_event_for_others_is_not_sent(self, polls: Polls) -> None:
        poll = polls.wait("q")
        polls.publish(PersonTouched(user_ids=frozenset({UserId(2)})), Noted(text="a"))
        assert await poll.ended is WaitEnd.RESPONSE
        assert polls.sent == [("q", entry(2).id)]

    async def test_poll_is_responded_to_once(self, polls: Polls) -> None:
        poll = polls.wait("q")
        polls.publish(Noted(text="a"))
        await respond(entry(1), [poll])
        await respond(entry(1), [poll])
        assert await poll.ended is WaitEnd.RESPONSE
        assert polls.sent == [("q", entry(1).id)]

    async def test_response_that_was_sent_outlasts_timeout_and_shutdown(self, polls: Polls) -> None:
        poll = polls.wait("q")
        polls.publish(Noted(text="a"))
        await asyncio.sleep(0)
        poll.give_up()
        polls.feed.wake_all()
        assert await poll.ended is WaitEnd.RESPONSE

    async def test_responded_poll_does_not_wait_any_more(self, polls: Polls) -> None:
        polls.wait("q")
        polls.publish(Noted(text="a"))
        await asyncio.sleep(0)
        assert polls.feed.waiting_polls == 0

    async def test_responses_are_finished_after_all_are_written(self, polls: Polls) -> None:
        """Nothing that a client does not wait for comes before what it waits for."""
        poll = polls.wait("q")
        steps: list[str] = []
        for name in "ab":
            other = polls.wait(name)
            response = Response(
                functools.partial(steps.append, f"{name} written"),
                functools.partial(steps.append, f"{name} finished"),
            )
            other._connection = Connection(functools.partial(_always, response))
        polls.publish(Noted(text="a"))
        await poll.ended
        assert sorted(steps[:2]) == ["a written", "b written"]
        assert sorted(steps[2:]) == ["a finished", "b finished"]


async def is_woken_by(polls: Polls, poll: WaitingPoll, *events: Event) -> bool:
    """Whether the poll has to respond itself after these events."""
    polls.publish(*events)
    return await poll.ended is WaitEnd.NEWS and not polls.sent


class TestLeftToTheTask:
    async def test_several_events(self, polls: Polls) -> None:
        assert await is_woken_by(polls, polls.wait("q"), Noted(text="a"), Noted(text="b"))

    async def test_event_of_several_pieces(self, polls: Polls) -> None:
        assert await is_woken_by(polls, polls.wait("q"), Listed(texts=["a", "b"]))

    async def test_event_whose_items_must_be_looked_up(self, polls: Polls) -> None:
        assert await is_woken_by(polls, polls.wait("q"), Described())

    async def test_reader_who_does_not_see_all_users(self, polls: Polls) -> None:
        assert await is_woken_by(polls, polls.wait("q", sees_all_users=False), Noted(text="a"))

    async def test_reader_or_queue_that_is_not_served_any_more(self, polls: Polls) -> None:
        polls.is_served = False
        assert await is_woken_by(polls, polls.wait("q"), Noted(text="a"))

    async def test_changed_reader(self, polls: Polls) -> None:
        poll = polls.wait("q")
        assert await is_woken_by(polls, poll, PersonTouched(user_ids=frozenset({UserId(1)})))

    async def test_connection_that_cannot_be_written_to(self, polls: Polls) -> None:
        polls.is_connected = False
        assert await is_woken_by(polls, polls.wait("q"), Noted(text="a"))

    async def test_ephemeral_event_is_left_to_the_task(self, polls: Polls) -> None:
        poll = polls.wait("q")
        polls.feed.take_ephemeral(entry(0, Whispered(text="")))
        assert await poll.ended is WaitEnd.NEWS

    async def test_ephemeral_event_before_the_logged_one(self, polls: Polls) -> None:
        poll = polls.wait("q")
        polls.feed.ephemeral_seen += 1
        assert await is_woken_by(polls, poll, Noted(text="a"))


class TestFailure:
    """Of one response: the others are sent."""

    async def test_poll_whose_response_cannot_be_prepared_is_left_to_its_task(
        self, polls: Polls
    ) -> None:
        broken, whole = polls.wait("broken"), polls.wait("whole")

        def fail(_pieces: Sequence[Piece]) -> PollResponse:
            raise OSError

        broken._connection = Connection(fail)
        polls.publish(Noted(text="a"))
        assert await broken.ended is WaitEnd.NEWS
        assert await whole.ended is WaitEnd.RESPONSE
        assert polls.sent == [("whole", entry(1).id)]

    @pytest.mark.parametrize("step", ["write", "finish"])
    async def test_poll_whose_response_was_begun_sends_no_other(
        self, polls: Polls, step: str
    ) -> None:
        broken, whole = polls.wait("broken"), polls.wait("whole")

        def fail() -> None:
            raise OSError

        def succeed() -> None:
            pass

        response = Response(succeed, fail) if step == "finish" else Response(fail, succeed)
        broken._connection = Connection(functools.partial(_always, response))
        polls.publish(Noted(text="a"))
        assert await broken.ended is WaitEnd.RESPONSE
        assert await whole.ended is WaitEnd.RESPONSE
        assert polls.sent == [("whole", entry(1).id)]
        assert polls.finished == ["whole"]
        assert polls.feed.waiting_polls == 0
