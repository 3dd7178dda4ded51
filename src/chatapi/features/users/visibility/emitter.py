"""Emits to restricted guests which users they see now and no longer.

A client gets the user first, then what the rest of its state says about the user: presence, status,
groups, and subscriptions to channels the guest sees without being subscribed. When a user becomes
invisible, it is the other way round; clients forget the presence of a user with the user.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.auth.visibility_changes import UserVisibilityChange, VisiblePairs
from chatapi.core.ids import UserId
from chatapi.events.audience import SomeOf, Users
from chatapi.features.channels import emit_subscribers_hidden, emit_subscribers_shown
from chatapi.features.groups import GroupMembersAdded, GroupMembersRemoved
from chatapi.features.users.events import UserUpdated
from chatapi.features.users.payloads import ProfileData
from chatapi.features.users.presence.events import PresenceShown
from chatapi.features.users.presence.visibility import list_shown_presence
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.status.service import list_statuses
from chatapi.features.users.status_events import UserStatusChanged
from chatapi.features.users.status_payloads import UserStatusPayload
from chatapi.features.users.visibility_events import user_added, user_removed
from chatapi.permissions.memberships import DirectGroup, GroupMemberships
from chatapi.permissions.user_visibility import user_visible_to

_ByGuests = Mapping[frozenset[UserId], Sequence[UserRecord]]
"""Users by the guests to whom they became visible or invisible."""
_NO_STATUS: UserStatusPayload = {
    "away": False,
    "status_text": "",
    "emoji_name": "",
    "emoji_code": "",
    "reaction_type": "unicode_emoji",
}


async def emit_user_visibility(ctx: RealmContext, change: UserVisibilityChange) -> None:
    """Emit which users became visible or invisible to guests.

    The number of statements depends neither on the number of guests nor on that of users.
    """
    user_ids = {user_id for _guest_id, user_id in change.gained | change.lost}
    repository = UserRepository(ctx.db, ctx.realm.id)
    users = {user.id: user for user in await repository.list_some(list(user_ids))}
    if not users:
        return
    groups = await GroupMemberships(ctx.db, ctx.realm).direct_groups_of_each(users.values())
    emitter = _Emitter(ctx, groups, await list_statuses(ctx))
    if gained := _by_guests(change.gained, users):
        presences = await list_shown_presence(ctx, users.values())
        emitter.emit_shown(gained, await repository.profiles(list(users)), presences)
        await emit_subscribers_shown(ctx, _active_ids(gained))
    if lost := _by_guests(change.lost, users):
        await emit_subscribers_hidden(ctx, _active_ids(lost), change.left)
        emitter.emit_hidden(lost)


def _by_guests(pairs: VisiblePairs, users: Mapping[UserId, UserRecord]) -> _ByGuests:
    """Bots of the service itself, which are not among the users, are always visible."""
    guests: defaultdict[UserId, set[UserId]] = defaultdict(set)
    for guest_id, user_id in pairs:
        guests[user_id].add(guest_id)
    alike: defaultdict[frozenset[UserId], list[UserRecord]] = defaultdict(list)
    for user_id, user in users.items():
        if user_id in guests:
            alike[frozenset(guests[user_id])].append(user)
    return alike


def _active_ids(people: _ByGuests) -> dict[frozenset[UserId], list[UserId]]:
    """Only active users are listed as subscribers."""
    return {
        guests: [user.id for user in users if user.is_active] for guests, users in people.items()
    }


class _Emitter(Struct, frozen=True):
    """Emits users with their groups and statuses, which were looked up for all of them."""

    ctx: RealmContext
    groups: Mapping[DirectGroup, Sequence[UserId]]
    statuses: Mapping[UserId, UserStatusPayload]

    def emit_shown(
        self,
        people: _ByGuests,
        profiles: Mapping[UserId, ProfileData],
        presences: Mapping[UserId, PresenceShown],
    ) -> None:
        # First all users, one after the other: events from before them are about other users.
        for guests, users in people.items():
            for user in users:
                event = user_added(self.ctx, user, profiles.get(user.id), guests)
                self.ctx.emit(event, to=_viewers(guests, user))
        for guests, users in people.items():
            for user in users:
                self._emit_state(guests, user, presences.get(user.id))
            for group, members in self._groups_of(users).items():
                joined = GroupMembersAdded(
                    group_id=group.id, user_ids=members, is_about_deactivated=group.is_deactivated
                )
                self.ctx.emit(joined, to=Users(ids=guests))

    def _emit_state(
        self, guests: frozenset[UserId], user: UserRecord, presence: PresenceShown | None
    ) -> None:
        if not user.is_active:
            # Clients take a user that is added for an active one.
            ended = UserUpdated(person={"user_id": user.id, "is_active": False})
            self.ctx.emit(ended, to=_viewers(guests, user))
        if presence is not None:
            self.ctx.emit(presence, to=_viewers(guests, user))
        if user.id in self.statuses:
            status = UserStatusChanged(user_id=user.id, **self.statuses[user.id])
            self.ctx.emit(status, to=_viewers(guests, user))

    def emit_hidden(self, people: _ByGuests) -> None:
        for guests, users in people.items():
            for group, members in self._groups_of(users).items():
                left = GroupMembersRemoved(
                    group_id=group.id,
                    user_ids=members,
                    is_about_deactivated=group.is_deactivated,
                    hides_members=True,
                )
                self.ctx.emit(left, to=Users(ids=guests))
            for user in users:
                if user.id in self.statuses:
                    status = UserStatusChanged(user_id=user.id, **_NO_STATUS)
                    self.ctx.emit(status, to=Users(ids=guests))
                self._emit_removed(guests, user)

    def _emit_removed(self, guests: frozenset[UserId], user: UserRecord) -> None:
        # The owner of a bot goes on seeing it.
        blind = guests - {user.bot_owner_id}
        if blind:
            self.ctx.emit(user_removed(user, blind), to=Users(ids=blind))

    def _groups_of(self, users: Sequence[UserRecord]) -> dict[DirectGroup, list[int]]:
        user_ids = {user.id for user in users}
        return {
            group: found
            for group, members in self.groups.items()
            if (found := [int(user_id) for user_id in members if user_id in user_ids])
        }


def _viewers(guests: frozenset[UserId], user: UserRecord) -> SomeOf:
    """The guests, as long as the user is visible to them."""
    return SomeOf(ids=guests, of=user_visible_to(user))
