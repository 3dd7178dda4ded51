"""Events about muted users; delivered only to the clients of the user who mutes."""

from typing import ClassVar

from chatapi.events.cache_tags import RecipientPreferencesTag
from chatapi.events.event import Event
from chatapi.features.users.muted_users.payloads import MutedUserPayload


class MutedUsersChanged(Event):
    """The list of users whom the reader mutes changed."""

    type = "muted_users"
    cache_tags: ClassVar = frozenset({RecipientPreferencesTag()})

    muted_users: list[MutedUserPayload]
    """All users whom the reader mutes."""
