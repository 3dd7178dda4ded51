"""What a client asked for when it registered, and who reads through it."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from chatapi.core.ids import QueueId, UserId
from chatapi.core.roles import Role
from chatapi.events.membership import Membership


class ClientProfile(BaseModel):
    """The choices of POST /register that decide what events look like; kept with the queue."""

    model_config = ConfigDict(frozen=True)

    event_types: frozenset[str] | None = None
    """None: every type."""
    apply_markdown: bool = False
    client_gravatar: bool = True
    slim_presence: bool = False
    include_subscribers: str = "false"
    all_public_streams: bool = False
    narrow: tuple[Any, ...] = ()
    capabilities: frozenset[str] = frozenset()

    def wants(self, event_type: str) -> bool:
        return self.event_types is None or event_type in self.event_types

    @property
    def knows_empty_topic(self) -> bool:
        """Whether the client understands topics without a name."""
        return "empty_topic_name" in self.capabilities


@dataclass(frozen=True, slots=True)
class ClientView:
    """A reader behind a client: the one argument event rendering and audiences need."""

    user_id: UserId
    role: Role
    profile: ClientProfile
    sees_everybody: bool
    """Whether the organization shows all its users to this reader."""
    hears_typing: bool
    """Whether the reader wants to be told who is typing."""
    membership: Membership
    queue_id: QueueId
    acquaintances: frozenset[UserId] = frozenset()
    """Whom a reader sees who does not see everybody."""
