"""Events about the organization's settings."""

from typing import ClassVar, Literal

from chatapi.events.cache_tags import SHARED_STATE, RealmTag
from chatapi.events.event import Event
from chatapi.wire.group_values import GroupSettingPayload


class RealmSettingChanged(Event):
    """One setting of the organization changed."""

    type = "realm"
    op: ClassVar = "update"
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}

    property: str
    """Which setting changed, without the `realm_` of `POST /register`."""
    value: bool | int | str | None
    """Its new value; the type depends on the setting."""


class RealmMoved(Event):
    """The subdomain changed, and so the address of the organization."""

    type = "realm_moved"
    is_internal = True
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}


class RealmSettingsChanged(Event):
    """Permissions of the organization changed, the rules of editing messages, or a picture."""

    type = "realm"
    op: ClassVar = "update_dict"
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}

    property: Literal["default", "icon", "logo", "night_logo"] = "default"
    """`default` for settings and permissions; else the picture that changed."""
    data: dict[str, bool | str | GroupSettingPayload | None]
    """The new values by name, without the `realm_` of `POST /register`."""
