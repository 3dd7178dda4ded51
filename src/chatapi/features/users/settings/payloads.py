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
    text: str


_EMOJI_SETS: list[EmojiSetPayload] = [
    {"key": key, "text": text} for key, text in EMOJI_SETS.items()
]


class DefaultSettings(UserSettings):
    """Every personal setting, and the available values of some of them."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    available_notification_sounds: list[str] = NOTIFICATION_SOUNDS
    emojiset_choices: list[EmojiSetPayload] = _EMOJI_SETS
    email_address_visibility: int = EmailVisibility.EVERYONE.value


class OwnSettings(DefaultSettings):
    """The settings of one user."""

    timezone: str


OwnSettingsPayload = Annotated[dict[str, Any], ShapeOf(OwnSettings)]
DefaultSettingsPayload = Annotated[dict[str, Any], ShapeOf(DefaultSettings)]
