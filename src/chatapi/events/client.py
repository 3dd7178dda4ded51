"""What a client asked for when it registered, and the reader who uses it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict

from chatapi.core.ids import EventNumber, QueueId, UserId
from chatapi.core.roles import Role
from chatapi.events.membership import Membership, PastRole


class ClientProfile(BaseModel):
    """The parameters of POST /register that decide the form of events; stored with the queue."""

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
        """Return the profile with these parameters; queues with equal ones share the object."""
        return _profile(orjson.dumps(choices, option=orjson.OPT_SORT_KEYS))

    @cached_property
    def message_form(self) -> tuple[bool, bool, bool]:
        """What the form of a message depends on, as a value that is computed once."""
        return self.apply_markdown, self.knows_empty_topic, self.client_gravatar

    def wants(self, event_type: str) -> bool:
        return self.event_types is None or event_type in self.event_types

    @property
    def may_omit_avatar_url(self) -> bool:
        """Whether the client accepts users whose picture it has to find itself."""
        return "user_avatar_url_field_optional" in self.capabilities

    @property
    def knows_empty_topic(self) -> bool:
        """Whether the client understands topics without a name."""
        return "empty_topic_name" in self.capabilities


@lru_cache(maxsize=10_000)
def _profile(choices: bytes) -> ClientProfile:
    return ClientProfile.model_validate_json(choices)


class ClientView(Struct, frozen=True):
    """A reader and their client: the one argument that event rendering and audiences need."""

    user_id: UserId
    role: Role
    profile: ClientProfile
    sees_all_users: bool
    """Whether all users of the realm are visible to this reader."""
    receives_typing: bool
    """Whether the reader wants to receive typing notifications."""
    membership: Membership
    queue_id: QueueId
    visible_user_ids: frozenset[UserId] = frozenset()
    """The visible users, for a reader to whom not all users are visible."""
    past_views: "tuple[tuple[EventNumber, ClientView], ...]" = ()
    """The views of the reader's earlier roles, each with its last event, the oldest first."""
    views_before_reveals: "tuple[tuple[EventNumber, ClientView], ...]" = ()
    """The views from before users became visible, each with its last event, the oldest first."""

    def with_past_roles(self, past_roles: Iterable[PastRole]) -> "ClientView":
        """Return a copy that includes the views of the reader's earlier roles."""
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

    def before_reveals(self, reveals: Sequence[tuple[EventNumber, UserId]]) -> "ClientView":
        """Return a copy that does not see users in events from before they became visible.

        `reveals` are the events that showed a user to the reader, in order. When one is delivered,
        the client receives all there is to know about the user, so it needs nothing from before.
        """
        views: list[tuple[EventNumber, ClientView]] = []
        hidden: set[UserId] = set()
        for place in reversed(range(len(reveals))):
            number, user_id = reveals[place]
            hidden.add(user_id)
            is_first_in_row = place == 0 or reveals[place - 1][0] < number - 1
            if is_first_in_row and not self.visible_user_ids.isdisjoint(hidden):
                before = replace(self, visible_user_ids=self.visible_user_ids - hidden)
                views.append((EventNumber(number - 1), before))
        return replace(self, views_before_reveals=tuple(reversed(views)))

    def as_of(self, number: EventNumber) -> "ClientView":
        """Return the view the reader had at an event, however late it is read.

        The role is the one of that time. Visible users are those who were visible then and still
        are: no client receives anything about a user whom its reader may not see now.
        """
        for until_event, view in self.past_views:
            if number <= until_event:
                return view
        for until_event, view in self.views_before_reveals:
            if number <= until_event:
                return view
        return self

    def sees_user(self, user_id: int) -> bool:
        """Whether a user is visible to the reader; the reader's own bots may be missing."""
        return self.sees_all_users or user_id in self.visible_user_ids or user_id == self.user_id

    def visible_among(self, user_ids: Iterable[int]) -> list[int]:
        """Return those of the users that are visible to the reader."""
        return [user_id for user_id in user_ids if self.sees_user(user_id)]
