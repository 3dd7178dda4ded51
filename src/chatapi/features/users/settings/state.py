"""The personal settings part of the POST /register response.

The context is of the snapshot, so nothing has to be read again.
"""

from typing import Annotated

from typing_extensions import TypedDict

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.state import public_section, shared_by_all, state_section
from chatapi.features.users.settings.payloads import (
    AVAILABLE_VALUES,
    DefaultSettings,
    DefaultSettingsPayload,
    OwnSettings,
    OwnSettingsPayload,
)
from chatapi.wire.docstrings import SameAs
from chatapi.wire.user_settings import UserSettings


class UserSettingsState(TypedDict):
    """The caller's settings."""

    user_settings: OwnSettingsPayload
    """Your personal settings; the defaults for visitors."""
    receives_typing_notifications: bool
    """The same as in `user_settings`, for clients that read it here."""


class DefaultSettingsState(TypedDict):
    """The settings of a new account."""

    realm_user_settings_defaults: DefaultSettingsPayload
    """The personal settings that a new user begins with."""


class DisplayState(TypedDict, total=False):
    """For clients that read their settings at the top level."""

    twenty_four_hour_time: Annotated[bool, SameAs(UserSettings, "twenty_four_hour_time")]


class NotificationState(TypedDict, total=False):
    """For clients that read their settings at the top level."""

    pm_content_in_desktop_notifications: Annotated[
        bool, SameAs(UserSettings, "pm_content_in_desktop_notifications")
    ]


@state_section("user_settings")
async def load_user_settings(ctx: Context, _profile: ClientProfile) -> UserSettingsState:
    return {
        # An `OwnSettings`, without validating each value again.
        "user_settings": {
            **AVAILABLE_VALUES,
            **ctx.user.options.model_dump(),
            "email_address_visibility": ctx.user.email_visibility.value,
            "timezone": ctx.user.timezone,
        },
        "receives_typing_notifications": ctx.user.options.receives_typing_notifications,
    }


@public_section("user_settings", for_users=False)
async def load_visitor_settings(_ctx: RealmContext, _profile: ClientProfile) -> UserSettingsState:
    """The defaults: visitors have no settings."""
    settings = OwnSettings(**DefaultSettings().model_dump(), timezone="")
    return {
        "user_settings": settings.model_dump(),
        "receives_typing_notifications": settings.receives_typing_notifications,
    }


@public_section("realm_user_settings_defaults", cache_key=shared_by_all)
async def load_defaults(ctx: RealmContext, _profile: ClientProfile) -> DefaultSettingsState:
    chosen = ctx.realm.user_settings_defaults or {}
    return {"realm_user_settings_defaults": DefaultSettings(**chosen).model_dump()}


@state_section("update_display_settings")
async def load_display_settings(ctx: Context, profile: ClientProfile) -> DisplayState:
    if _knows_settings_object(profile):
        return {}
    return {"twenty_four_hour_time": ctx.user.options.twenty_four_hour_time}


@state_section("update_global_notifications")
async def load_notification_settings(ctx: Context, profile: ClientProfile) -> NotificationState:
    if _knows_settings_object(profile):
        return {}
    shows_content = ctx.user.options.pm_content_in_desktop_notifications
    return {"pm_content_in_desktop_notifications": shows_content}


def _knows_settings_object(profile: ClientProfile) -> bool:
    return "user_settings_object" in profile.capabilities
