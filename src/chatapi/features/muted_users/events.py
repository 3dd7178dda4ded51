"""Events about muted users; only the clients of whoever mutes are told."""

from typing import ClassVar

from typing_extensions import override

from chatapi.events.event import Event
from chatapi.features.muted_users.payloads import MutedUserPayload


class MutedUsersChanged(Event):
    """Somebody mutes other people than before."""

    type = "muted_users"
    changes_shared_state: ClassVar = False

    muted_users: list[MutedUserPayload]
    """All of them."""

    @override
    def changes_recipient_preferences(self) -> bool:
        return True
