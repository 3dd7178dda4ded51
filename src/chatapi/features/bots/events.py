"""Events about bots, for those who manage them; as users, bots are told to everybody."""

from typing import ClassVar

from chatapi.events.event import Event
from chatapi.features.bots.payloads import BotPayload, LostBotPayload, RemovedBotPayload


class BotAdded(Event):
    """A bot was created or reactivated, or became the reader's to manage."""

    type = "realm_bot"
    op: ClassVar = "add"

    bot: BotPayload


class BotUpdated(Event):
    """A bot was given to somebody else."""

    type = "realm_bot"
    op: ClassVar = "update"

    bot: BotPayload


class BotRemoved(Event):
    """A bot was deactivated."""

    type = "realm_bot"
    op: ClassVar = "remove"

    bot: RemovedBotPayload


class BotDeleted(Event):
    """A bot is no longer the reader's to manage."""

    type = "realm_bot"
    op: ClassVar = "delete"

    bot: LostBotPayload
