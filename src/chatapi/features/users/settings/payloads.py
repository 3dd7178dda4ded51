"""Payloads of personal settings."""

from typing import Annotated, Any

from pydantic import ConfigDict
from typing_extensions import TypedDict

from chatapi.core.roles import EmailVisibility
from chatapi.wire.types import ShapeOf
from chatapi.wire.user_settings import EMOJI_SETS, NOTIFICATION_SOUNDS, UserSettings


class EmojiSetPayload(TypedDict):
    """One of the available emoji sets."""

    key: str
    """The value for `emojiset`."""
    text: str
    """What clients call it."""


_EMOJI_SETS: list[EmojiSetPayload] = [
    {"key": key, "text": text} for key, text in EMOJI_SETS.items()
]


class DefaultSettings(UserSettings):
    """Every personal setting, and the available values of some of them."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    available_notification_sounds: list[str] = NOTIFICATION_SOUNDS
    """The values for `notification_sound`, beside `none`."""
    emojiset_choices: list[EmojiSetPayload] = _EMOJI_SETS
    """The values for `emojiset`."""
    email_address_visibility: int = EmailVisibility.EVERYONE.value
    """Who may see the real address of the user. 1: everyone, 2: members, 3: administrators, 4:
    nobody, 5: moderators."""


AVAILABLE_VALUES: dict[str, object] = {
    "available_notification_sounds": NOTIFICATION_SOUNDS,
    "emojiset_choices": _EMOJI_SETS,
}
"""What `DefaultSettings` has besides settings."""


class OwnSettings(DefaultSettings):
    """The settings of one user."""

    timezone: str
    """Your time zone, a name of the IANA database; empty if it is not known."""


OwnSettingsPayload = Annotated[dict[str, Any], ShapeOf(OwnSettings)]
DefaultSettingsPayload = Annotated[dict[str, Any], ShapeOf(DefaultSettings)]
