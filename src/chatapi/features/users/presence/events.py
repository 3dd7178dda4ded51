"""Events about presence.

Changes are ephemeral: delivered to connected clients; others fetch them. The presence of a user who
becomes visible is logged: a client that fetches what changed lately does not get it.
"""

from collections.abc import Hashable
from datetime import datetime
from typing import Any, ClassVar, Self

from typing_extensions import TypedDict, override

from chatapi.auth.users import UserRecord
from chatapi.core.ids import UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.features.users.presence.payloads import (
    ONLY_CLIENT,
    ClientPresencePayload,
    MomentsPayload,
    client_payload,
    moments_payload,
)
from chatapi.features.users.presence.rules import LastSeen

SIMPLIFIED = "simplified_presence_events"
"""The capability of clients that know the newer format."""


class PresenceShape(TypedDict, total=False):
    """`presences` for clients that know the newer format, all other keys for those that do not."""

    presences: dict[str, MomentsPayload]
    """When the user was last seen, by user id; for clients with `simplified_presence_events`, and
    instead of all other keys."""
    user_id: int
    """The user whose presence changed."""
    email: str
    """Their API email; absent for clients that requested slim presence."""
    server_timestamp: float
    """The time of the server, in Unix seconds with decimals."""
    presence: dict[str, ClientPresencePayload]
    """Their presence by kind of client; there is only `website`."""


class PresenceChanged(Event):
    """A user came online, became active, hides their presence, or became visible to a guest."""

    type = "presence"
    is_logged: ClassVar = False
    cache_tags: ClassVar = NO_CACHE_TAGS
    shape: ClassVar = PresenceShape

    user_id: UserId
    email: str
    server_timestamp: float
    moments: MomentsPayload

    @classmethod
    def of(cls, user: UserRecord, email: str, seen: LastSeen, now: datetime) -> Self:
        return cls(
            user_id=user.id,
            email=email,
            server_timestamp=now.timestamp(),
            moments=moments_payload(seen),
        )

    @override
    def variant(self, view: ClientView) -> Hashable:
        return SIMPLIFIED in view.profile.capabilities, view.profile.slim_presence

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        if SIMPLIFIED in view.profile.capabilities:
            return {"presences": {str(self.user_id): self.moments}}
        shown = client_payload(self.moments)
        body: dict[str, Any] = {
            "user_id": self.user_id,
            "server_timestamp": self.server_timestamp,
            "presence": {ONLY_CLIENT: {**shown, "pushable": False}},
        }
        return body if view.profile.slim_presence else {**body, "email": self.email}


class PresenceShown(PresenceChanged):
    """The presence of a user who becomes visible to a reader.

    In the log it has the name of a change, and is read from there as one: only writing differs.
    """

    is_logged: ClassVar = True
