"""The polls that wait for events of a realm, by the users who may receive an event."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from chatapi.core.ids import QueueId, UserId
from chatapi.events.audience import Audience
from chatapi.events.subscriber_index import SubscriberIndex
from chatapi.events.waiter import Waiter


class WaitingPolls:
    """The polls that wait in a realm."""

    def __init__(self) -> None:
        self._by_user: defaultdict[UserId, set[Waiter]] = defaultdict(set)
        self._subscribers = SubscriberIndex()

    def __len__(self) -> int:
        return sum(map(len, self._by_user.values()))

    def add(self, waiter: Waiter) -> None:
        self._by_user[waiter.view.user_id].add(waiter)
        self._subscribers.add(waiter.view)

    def remove(self, waiter: Waiter) -> None:
        """Remove a poll; nothing happens if it was removed before."""
        user_id = waiter.view.user_id
        waiters = self._by_user.get(user_id)
        if waiters is None:
            return
        waiters.discard(waiter)
        if not waiters:
            del self._by_user[user_id]
            self._subscribers.remove(user_id)

    def candidates(self, audience: Audience) -> list[Waiter]:
        """Return the polls whose readers may be in an audience, which has to be checked."""
        users = audience.candidates()
        if users is None and (channel := audience.candidate_channel()) is not None:
            users = self._subscribers.find(channel.id, with_readers_of_all=channel.is_public)
        if users is None:
            users = self._by_user
        return [waiter for user_id in users for waiter in self._by_user.get(user_id, ())]

    def wake_of(self, user_id: UserId) -> None:
        for waiter in self._by_user.get(user_id, ()):
            waiter.wake()

    def wake_on(self, queue_ids: Collection[QueueId]) -> None:
        """Wake the polls that wait on any of these queues."""
        for waiter in self._all():
            if waiter.queue_id in queue_ids:
                waiter.wake()

    def wake_all(self) -> None:
        for waiter in self._all():
            waiter.wake()

    def _all(self) -> Iterable[Waiter]:
        return (waiter for waiters in self._by_user.values() for waiter in waiters)
