"""Events about user statuses."""

from typing import Any, ClassVar

from typing_extensions import override

from chatapi.core.ids import UserId
from chatapi.events.cache_tags import shared_sections
from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.features.users.status_payloads import UserStatusPayload


class UserStatusShape(UserStatusPayload):
    """Only the changed keys; an empty value means that it was removed."""

    user_id: int
    """The user whose status changed; the other keys have only what changed."""


class UserStatusChanged(Event):
    """A user changed their status."""

    type = "user_status"
    cache_tags: ClassVar = shared_sections("user_status")
    shape: ClassVar = UserStatusShape

    user_id: UserId
    away: bool | None = None
    status_text: str | None = None
    emoji_name: str | None = None
    emoji_code: str | None = None
    reaction_type: str | None = None

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        del view
        return self.model_dump(mode="json", exclude_none=True)
