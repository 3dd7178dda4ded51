"""Which of the users who wait for events may be subscribed to a channel."""

from collections.abc import Iterator, Sequence

from chatapi.core.ids import ChannelId, UserId
from chatapi.events.client import ClientView
from chatapi.events.membership import Membership

_MOST_ABSENT = 100
"""Users who do not wait, where few wait."""


class SubscriberIndex:
    """Finds users by channel, so that a message costs nothing for those who are not in its channel.

    What it finds has to be checked: it contains users who have left the channel, or wait no longer.
    It contains everybody who waits, and was ever subscribed as far as their view knows.

    A channel has a number with a bit for each user: sets of ten thousand users with two hundred
    channels each would take a hundred megabytes, and this takes a quarter of one.
    """

    def __init__(self) -> None:
        self._places: dict[UserId, int] = {}
        """The bit of each user."""
        self._users: list[UserId] = []
        """The user of each bit."""
        self._memberships: list[Membership] = []
        """What was indexed of each."""
        self._subscribers: dict[ChannelId, int] = {}
        self._readers_of_all: set[UserId] = set()
        """Users with clients that asked for all public channels."""
        self._absent: dict[UserId, None] = {}
        """Users who wait no longer, in the order in which they left. Most come back at once."""

    def add(self, view: ClientView) -> None:
        """Index the reader of a poll that begins to wait."""
        user_id, membership = view.user_id, view.membership
        self._absent.pop(user_id, None)
        if view.profile.all_public_streams:
            self._readers_of_all.add(user_id)
        place = self._places.get(user_id)
        if place is None:
            place = self._new_place(user_id, membership)
        elif self._memberships[place] is membership:
            return
        self._memberships[place] = membership
        bit = 1 << place
        for channel_id in membership.subscription_periods:
            self._subscribers[channel_id] = self._subscribers.get(channel_id, 0) | bit

    def remove(self, user_id: UserId) -> None:
        """Note that no poll of a user waits any more."""
        self._absent[user_id] = None

    def find(self, channel_id: ChannelId, *, with_readers_of_all: bool) -> Sequence[UserId] | None:
        """Return the users who may be subscribed to a channel; None if that is most of all."""
        subscribers = self._subscribers.get(channel_id, 0)
        if subscribers.bit_count() * 2 > len(self._users):
            return None
        found = [self._users[place] for place in _places_in(subscribers)]
        if with_readers_of_all and self._readers_of_all:
            found += self._readers_of_all.difference(found)
        return found

    def _new_place(self, user_id: UserId, membership: Membership) -> int:
        if len(self._absent) > max(_MOST_ABSENT, len(self._users) // 2):
            place = self._free_place()
            self._users[place] = user_id
        else:
            place = len(self._users)
            self._users.append(user_id)
            self._memberships.append(membership)
        self._places[user_id] = place
        return place

    def _free_place(self) -> int:
        """Forget the user who has been absent for longest."""
        user_id = next(iter(self._absent))
        del self._absent[user_id]
        self._readers_of_all.discard(user_id)
        place = self._places.pop(user_id)
        bit = 1 << place
        for channel_id in self._memberships[place].subscription_periods:
            # Bits of an earlier membership stay: they make the next user of this place a candidate.
            self._subscribers[channel_id] &= ~bit
        return place


def _places_in(bits: int) -> Iterator[int]:
    """Yield the places of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
