"""Builds the `subscription/add` events for new subscribers, each event of a bounded size."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, UserId
from chatapi.features.channels.payloads import ChannelPayload
from chatapi.features.channels.repository import Choices, MembershipDelta, MembershipKey
from chatapi.features.channels.subscription_events import SubscriptionsAdded
from chatapi.features.channels.subscription_payloads import ChoicesPayload

_MAX_IDS = 20_000
"""The most ids in one event. A larger event is slow to build, to write to the log and to read."""
_IDS_PER_CHOICES = 20
"""One user's settings for one channel count as this many ids."""

_Portion = list[tuple[ChannelId, list[UserId]]]


class Arrivals(Struct, frozen=True):
    """Users who were subscribed to channels, with the data that their events contain."""

    people: MembershipDelta
    subscribers: Mapping[int, list[int]]
    """All current subscribers of each of the channels."""
    choices: Mapping[MembershipKey, Choices]

    async def to_events(
        self, shown: Mapping[ChannelId, ChannelPayload], *, is_unarchived: bool = False
    ) -> Sequence[SubscriptionsAdded]:
        """One event for all users and channels, or several if one would be too large."""
        return await map_in_steps(
            lambda portion: self._event(portion, shown, is_unarchived=is_unarchived),
            list(self._portions()),
        )

    def _portions(self) -> Iterator[_Portion]:
        most_people = _MAX_IDS // _IDS_PER_CHOICES
        portion: _Portion = []
        free = _MAX_IDS
        for channel_id, came in self.people.items():
            people = sorted(came)
            for start in range(0, len(people), most_people):
                some = people[start : start + most_people]
                ids = len(some) * _IDS_PER_CHOICES + len(self.subscribers[channel_id])
                if portion and ids > free:
                    yield portion
                    portion, free = [], _MAX_IDS
                portion.append((channel_id, some))
                free -= ids
        yield portion

    def _event(
        self,
        portion: _Portion,
        shown: Mapping[ChannelId, ChannelPayload],
        *,
        is_unarchived: bool,
    ) -> SubscriptionsAdded:
        choices: defaultdict[int, dict[int, ChoicesPayload]] = defaultdict(dict)
        for channel_id, people in portion:
            for user_id in people:
                choices[user_id][channel_id] = self.choices[channel_id, user_id].to_wire()
        channel_ids = [channel_id for channel_id, _ in portion]
        return SubscriptionsAdded(
            channels=[shown[channel_id] for channel_id in channel_ids],
            subscribers={channel_id: self.subscribers[channel_id] for channel_id in channel_ids},
            choices=choices,
            is_unarchived=is_unarchived,
        )
