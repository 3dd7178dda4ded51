"""When the users of a realm were seen lately, encoded, with all changes up to a number."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from enum import Enum, auto

from msgspec import Struct

from chatapi.core.ids import UserId
from chatapi.wire.encoded import Encoded, as_encoded

_NEVER_ENDS = datetime.max.replace(tzinfo=UTC)


class PresenceForm(Enum):
    """How a client wants the presence of a user."""

    BY_ID = auto()
    BY_EMAIL = auto()


class SeenUser(Struct, frozen=True):
    """A user with the last change of their presence."""

    id: UserId
    update_id: int
    idle_at: datetime | None
    """When a client of the user was last connected; None for one who hides their presence."""
    by_id: bytes
    """A member of a JSON object: the user's id, and when they were seen."""
    by_email: bytes

    def member(self, form: PresenceForm) -> bytes:
        return self.by_id if form is PresenceForm.BY_ID else self.by_email


class _Joined(Struct, frozen=True):
    """The JSON of all users who were seen since a moment.

    It is the same until one of them changes, or was not seen since a later moment.
    """

    since: datetime
    until: datetime
    """When the first of them was seen."""
    json: Encoded

    def is_of(self, since: datetime) -> bool:
        return self.since <= since <= self.until


class RecentPresences:
    """The users who were seen since a moment.

    Changes are added to it, so that it may be ahead of the snapshot of a reader. Such a reader gets
    the same changes once more.
    """

    def __init__(self, seen: Iterable[SeenUser], *, since: datetime, up_to: int) -> None:
        self.since = since
        self.up_to = up_to
        """The number of the last change that is certainly part of it."""
        self._users = {user.id: user for user in seen}
        self._joined: dict[PresenceForm, _Joined] = {}

    def add(self, changed: Iterable[SeenUser], up_to: int) -> None:
        """Add the changes up to a number; some may be known already, or older than what is known.

        Users who hide their presence stay, as the newest that is known of them.
        """
        for user in changed:
            known = self._users.get(user.id)
            if known is None or known.update_id < user.update_id:
                self._users[user.id] = user
                self._joined.clear()
        self.up_to = max(self.up_to, up_to)

    def joined(
        self, form: PresenceForm, since: datetime, shows: Callable[[UserId], bool] | None = None
    ) -> Encoded:
        """Return a JSON object of those who were seen since a moment.

        `shows` limits it to some users. The moment must not be before that of all users.
        """
        joined = self._joined.get(form) if shows is None else None
        if joined is None or not joined.is_of(since):
            joined = self._join(form, since, shows)
            if shows is None:
                self._joined[form] = joined
        return joined.json

    def _join(
        self, form: PresenceForm, since: datetime, shows: Callable[[UserId], bool] | None
    ) -> _Joined:
        until = _NEVER_ENDS
        members: list[bytes] = []
        for user in self._users.values():
            if user.idle_at is None or user.idle_at < since:
                continue
            if shows is None or shows(user.id):
                members.append(user.member(form))
                until = min(until, user.idle_at)
        return _Joined(since, until, as_encoded(b"{%b}" % b",".join(members)))
