"""Events about the defaults of personal settings."""

from typing import ClassVar

from chatapi.events.cache_tags import SHARED_STATE, RealmTag
from chatapi.events.event import Event


class DefaultSettingChanged(Event):
    """New users get another value of a personal setting."""

    type = "realm_user_settings_defaults"
    op: ClassVar = "update"
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}

    property: str
    """Which personal setting has another default now."""
    value: bool | int | str
    """The value that new users get; the type depends on the setting."""
