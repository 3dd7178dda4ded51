"""When a user counts as online, and which pings are worth writing; pure."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

PING_EVERY_SECONDS = 60
"""The interval at which clients are asked to ping."""
OFFLINE_AFTER_SECONDS = 140
"""A user who was not seen for this long is offline."""
USUAL_HISTORY_DAYS = 14
"""Clients get the presence of users who were seen in the last days, unless they request more."""

_OFFLINE_AFTER = timedelta(seconds=OFFLINE_AFTER_SECONDS)
# Much shorter than the time until a user counts as offline, and long enough that further clients of
# the same user cost no write.
_SAME_MOMENT = timedelta(seconds=30)

PingStatus: TypeAlias = Literal["active", "idle"]


class State(StrEnum):
    """The state that other users see."""

    ACTIVE = "active"
    IDLE = "idle"
    OFFLINE = "offline"


class LastSeen(Struct, frozen=True):
    """When a user was last seen."""

    active_at: datetime | None = None
    """When the user was last active."""
    idle_at: datetime | None = None
    """When a client of the user was last connected; never before `active_at`."""
    is_hidden: bool = False
    """Whether the user hides their presence."""

    def state(self, now: datetime) -> State:
        if _is_within(_OFFLINE_AFTER, self.active_at, now):
            return State.ACTIVE
        return State.IDLE if _is_within(_OFFLINE_AFTER, self.idle_at, now) else State.OFFLINE

    def after_ping(self, status: PingStatus, now: datetime) -> "LastSeen":
        """Returns self if the ping adds nothing to what was known a moment ago."""
        if self.is_hidden:
            return self
        if status == "active" and not _is_within(_SAME_MOMENT, self.active_at, now):
            return replace(self, active_at=now, idle_at=now)
        if not _is_within(_SAME_MOMENT, self.idle_at, now):
            # A clock that was set back must not leave a user active in the future.
            active_at = None if self.active_at is None else min(self.active_at, now)
            return replace(self, active_at=active_at, idle_at=now)
        return self


NEVER_SEEN = LastSeen()


def _is_within(duration: timedelta, moment: datetime | None, now: datetime) -> bool:
    """Whether a moment is close; clocks of processes differ a little, so it may lie ahead.

    A moment far ahead was written before the clock was set back, and is ignored.
    """
    return moment is not None and abs(now - moment) < duration
