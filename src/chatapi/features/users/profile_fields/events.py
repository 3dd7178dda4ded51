"""Events about custom profile fields."""

from typing import ClassVar

from chatapi.events.cache_tags import SHARED_STATE, RealmTag
from chatapi.events.event import Event
from chatapi.features.users.profile_fields.payloads import ProfileFieldPayload


class ProfileFieldsChanged(Event):
    """Fields were added, changed, moved or deleted; values of deleted ones are deleted, too."""

    type = "custom_profile_fields"
    # Values may have been removed from any user's profile.
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}

    fields: list[ProfileFieldPayload]
    """All fields in their new order."""
