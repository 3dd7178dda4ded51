"""Events about bots for users who manage them; events about bots as users go to all users."""

from typing import ClassVar

from chatapi.events.cache_tags import SHARED_STATE, RecipientPreferencesTag
from chatapi.events.event import Event
from chatapi.features.users.bot_payloads import BotPayload, LostBotPayload


class BotAdded(Event):
    """A bot was created or reactivated, or the reader may manage it now."""

    type = "realm_bot"
    op: ClassVar = "add"
    cache_tags: ClassVar = SHARED_STATE | {RecipientPreferencesTag()}

    bot: BotPayload
    """What the owner and administrators see of it, beside the user."""


class BotUpdated(Event):
    """A bot has another owner, or calls another service."""

    type = "realm_bot"
    op: ClassVar = "update"

    bot: BotPayload
    """The bot as it is now."""


class BotDeleted(Event):
    """The reader may no longer manage a bot."""

    type = "realm_bot"
    op: ClassVar = "delete"

    bot: LostBotPayload
    """Which bot it was."""
