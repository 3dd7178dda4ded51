"""Payloads of presence, in the two formats that clients know.

Newer clients get two timestamps, by user id. Older ones get, by email, one status for each kind of
client; there is only one kind here.
"""

from datetime import datetime
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.users.presence.rules import PING_EVERY_SECONDS, LastSeen, PingStatus, State
from chatapi.wire.encoded import Encoded, EncodedAs, encoded
from chatapi.wire.types import UnixSeconds

ONLY_CLIENT: Literal["website"] = "website"

# A little more than a ping interval: a user active at the previous ping still counts as active.
_STILL_ACTIVE_SECONDS = PING_EVERY_SECONDS + 10


class MomentsPayload(TypedDict):
    """When a user was last seen; 0: never."""

    active_timestamp: UnixSeconds
    """When the user was last active, in Unix seconds; 0 for never."""
    idle_timestamp: UnixSeconds
    """When a client of the user was last connected, in Unix seconds; 0 for never."""


class ClientPresencePayload(TypedDict):
    """The presence in the format of older clients."""

    client: str
    """The kind of client: always `website`."""
    status: PingStatus
    """Whether the user was active or idle when last seen."""
    timestamp: UnixSeconds
    """When that was, in Unix seconds."""
    pushable: NotRequired[bool]
    """Whether mobile notifications reach the user. Always false here."""


PresencesById = dict[str, MomentsPayload]
PresencesByEmail = dict[str, dict[str, ClientPresencePayload]]
EncodedPresences = Annotated[Encoded, EncodedAs(PresencesById | PresencesByEmail)]
EncodedPresencesByEmail = Annotated[Encoded, EncodedAs(PresencesByEmail)]


class PresencesPayload(TypedDict):
    """The users who were seen, by user id or, for older clients, by email."""

    server_timestamp: float
    """The time of the server, in Unix seconds with decimals; compare the others with it."""
    presences: EncodedPresences
    """When users were last seen, by user id or, for clients without slim presence, by API email."""
    presence_last_update_id: int
    """Pass it as `last_update_id` of `POST /users/me/presence` to receive only later changes."""


class PingPayload(TypedDict, total=False):
    """The same; empty if the request was only a ping."""

    server_timestamp: float
    """The time of the server, in Unix seconds with decimals. Absent with `ping_only`, as the
    others."""
    presences: EncodedPresences
    """When users were last seen, by user id or, for clients without slim presence, by API email."""
    presence_last_update_id: int
    """Pass it as `last_update_id` of the next request to receive only later changes."""


class RealmPresencesPayload(TypedDict):
    """The users who were seen, by email."""

    server_timestamp: float
    """The time of the server, in Unix seconds with decimals; compare the others with it."""
    presences: EncodedPresencesByEmail
    """When users were last seen, by API email, then by kind of client."""


class StatusPayload(TypedDict):
    """A user's status, and when it was last seen."""

    status: Literal["active", "idle", "offline"]
    """Whether the user is active, idle, or was not seen lately."""
    timestamp: UnixSeconds
    """When the user was last seen, in Unix seconds."""


class UserPresencePayload(MomentsPayload):
    """When a user was last seen, in both formats."""

    website: StatusPayload
    """The status by kind of client; this is the only kind."""
    aggregated: StatusPayload
    """The status over all kinds of clients; `offline` if the user was not seen lately."""


class OnePresencePayload(TypedDict):
    """The presence of a user."""

    server_timestamp: float
    """The time of the server, in Unix seconds with decimals; compare the others with it."""
    presence: UserPresencePayload
    """When the user was last seen."""


NO_PRESENCES = encoded({})


def moments_payload(seen: LastSeen) -> MomentsPayload:
    return {
        "active_timestamp": _seconds(seen.active_at),
        "idle_timestamp": _seconds(seen.idle_at),
    }


def client_payload(moments: MomentsPayload) -> ClientPresencePayload:
    """One status computed from the two timestamps."""
    active, idle = moments["active_timestamp"], moments["idle_timestamp"]
    is_active = 0 < idle <= active + _STILL_ACTIVE_SECONDS
    return {
        "client": ONLY_CLIENT,
        "status": "active" if is_active else "idle",
        "timestamp": active if is_active else idle,
    }


def legacy_payload(seen: LastSeen) -> dict[str, ClientPresencePayload]:
    shown = client_payload(moments_payload(seen))
    return {"aggregated": shown, ONLY_CLIENT: {**shown, "pushable": False}}


def user_payload(seen: LastSeen, now: datetime) -> UserPresencePayload:
    shown = client_payload(moments_payload(seen))
    website: StatusPayload = {"status": shown["status"], "timestamp": shown["timestamp"]}
    is_gone = seen.state(now) is State.OFFLINE
    aggregated: StatusPayload = {**website, "status": "offline"} if is_gone else website
    return {**moments_payload(seen), "website": website, "aggregated": aggregated}


def _seconds(moment: datetime | None) -> UnixSeconds:
    return 0 if moment is None else unix_seconds(moment)
