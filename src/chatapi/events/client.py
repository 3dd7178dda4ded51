"""What a client asked for when it registered, and who reads through it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

from chatapi.core.ids import EventNumber, QueueId, UserId
from chatapi.core.roles import Role
from chatapi.events.membership import Membership, PastRole


class ClientProfile(BaseModel):
    """The choices of POST /register that decide what events look like; kept with the queue."""

    model_config = ConfigDict(frozen=True)

    event_types: frozenset[str] | None = None
    """None: every type."""
    apply_markdown: bool = False
    client_gravatar: bool = True
    slim_presence: bool = False
    presence_history_limit_days: int | None = None
    include_subscribers: str = "false"
    all_public_streams: bool = False
    narrow: tuple[Any, ...] = ()
    capabilities: frozenset[str] = frozenset()

    @classmethod
    def shared(cls, choices: Mapping[str, Any]) -> "ClientProfile":
        """The profile with these choices; queues of clients that chose alike hold the same one."""
        return _profile(orjson.dumps(choices, option=orjson.OPT_SORT_KEYS))

    def wants(self, event_type: str) -> bool:
        return self.event_types is None or event_type in self.event_types

    @property
    def knows_empty_topic(self) -> bool:
        """Whether the client understands topics without a name."""
        return "empty_topic_name" in self.capabilities


@lru_cache(maxsize=10_000)
def _profile(choices: bytes) -> ClientProfile:
    return ClientProfile.model_validate_json(choices)


@dataclass(frozen=True, slots=True)
class ClientView:
    """A reader behind a client: the one argument event rendering and audiences need."""

    user_id: UserId
    role: Role
    profile: ClientProfile
    sees_all_users: bool
    """Whether the organization shows all its users to this reader."""
    receives_typing: bool
    """Whether the reader wants to be told who is typing."""
    membership: Membership
    queue_id: QueueId
    visible_user_ids: frozenset[UserId] = frozenset()
    """Whom a reader sees who does not see everybody."""
    past_views: "tuple[tuple[EventNumber, ClientView], ...]" = ()
    """Up to which event the reader was somebody else in the organization, the oldest first."""

    def with_past_roles(self, past_roles: Iterable[PastRole]) -> "ClientView":
        """The same view, which knows how the reader saw through it with earlier roles."""
        past_views = (
            (
                each.until_event,
                replace(
                    self, role=each.role, membership=replace(self.membership, groups=each.groups)
                ),
            )
            for each in past_roles
        )
        return replace(self, past_views=tuple(past_views))

    def as_of(self, number: EventNumber) -> "ClientView":
        """As whom the reader heard of an event, however late they ask for it."""
        for until_event, view in self.past_views:
            if number <= until_event:
                return view
        return self

    def sees_user(self, user_id: int) -> bool:
        """Whether a user exists for the reader; one's bots may be missing."""
        return self.sees_all_users or user_id in self.visible_user_ids or user_id == self.user_id

    def visible_among(self, user_ids: Iterable[int]) -> list[int]:
        """Those of some users that exist for the reader."""
        return [user_id for user_id in user_ids if self.sees_user(user_id)]
