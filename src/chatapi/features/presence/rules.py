"""When somebody counts as there, and which signs of life are worth writing down; pure."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, TypeAlias

PING_EVERY_SECONDS = 60
"""How often clients are asked to show that they are there."""
OFFLINE_AFTER_SECONDS = 140
"""Whoever was not seen for so long is not there."""

_OFFLINE_AFTER = timedelta(seconds=OFFLINE_AFTER_SECONDS)
# Much shorter than it takes to count as gone, and long enough that further clients of the same
# person cost nothing.
_SAME_MOMENT = timedelta(seconds=30)

PingStatus: TypeAlias = Literal["active", "idle"]


class State(StrEnum):
    """What others see."""

    ACTIVE = "active"
    IDLE = "idle"
    OFFLINE = "offline"


@dataclass(frozen=True)
class LastSeen:
    """When somebody was last seen."""

    active_at: datetime | None = None
    """When they last did something."""
    idle_at: datetime | None = None
    """When a client of theirs was last there; never before `active_at`."""
    is_hidden: bool = False
    """Whether they do not want to be seen."""

    def state(self, now: datetime) -> State:
        if _is_within(_OFFLINE_AFTER, self.active_at, now):
            return State.ACTIVE
        return State.IDLE if _is_within(_OFFLINE_AFTER, self.idle_at, now) else State.OFFLINE

    def after_ping(self, status: PingStatus, now: datetime) -> "LastSeen":
        """The same, if the ping says nothing that was not known a moment ago."""
        if self.is_hidden:
            return self
        if status == "active" and not _is_within(_SAME_MOMENT, self.active_at, now):
            return replace(self, active_at=now, idle_at=now)
        if not _is_within(_SAME_MOMENT, self.idle_at, now):
            # A clock that was set back must not leave somebody active in the future.
            active_at = None if self.active_at is None else min(self.active_at, now)
            return replace(self, active_at=active_at, idle_at=now)
        return self


NEVER_SEEN = LastSeen()


def _is_within(duration: timedelta, moment: datetime | None, now: datetime) -> bool:
    """Whether a moment is close; clocks of processes differ a little, so it may lie ahead.

    A moment far ahead was written before the clock was set back, and says nothing.
    """
    return moment is not None and abs(now - moment) < duration
