"""Parameters of the bot endpoints."""

from typing import Annotated

from pydantic import Field

from chatapi.core.roles import BotType
from chatapi.core.web_addresses import MAX_LENGTH as MAX_URL_LENGTH
from chatapi.features.users.bot_rules import GENERIC_INTERFACE
from chatapi.features.users.params import MAX_NAME_LENGTH
from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_SHORT_NAME_LENGTH = 60
MAX_INTERFACE = 100


class CreateBotParams(Params):
    """POST /bots: a bot owned by the caller."""

    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
    """The name that people see."""
    short_name: Annotated[
        str,
        Field(max_length=MAX_SHORT_NAME_LENGTH),
    ]
    """The bot's email address begins with it: `weather` makes `weather-bot@` and the host name."""
    bot_type: Annotated[
        int,
        Field(
            ge=min(BotType),
            le=max(BotType),
        ),
    ] = BotType.GENERIC.value
    """1: generic, 2: incoming webhook, which can only send, 3: outgoing webhook, for which the
    server calls `payload_url`."""
    file: UploadedFile | None = None
    """The bot's picture, as the only file of a multipart form: PNG, GIF, JPEG or WebP, 5 MiB at
    most."""
    payload_url: Annotated[
        str, Field(max_length=MAX_URL_LENGTH, examples=["https://example.com/hook"])
    ] = ""
    """The address that is called when an outgoing webhook bot is mentioned or written to; required
    for that type."""
    interface_type: Annotated[int, Field(ge=1, le=MAX_INTERFACE)] = GENERIC_INTERFACE
    """The form of these calls; 1 is the only one."""


class ChangeBotParams(Params):
    """PATCH /bots/{bot_id}: what is not passed stays unchanged."""

    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Weather"])] | None = None
    """Replaces the name that people see."""
    bot_owner_id: Id | None = None
    """The user to whom the bot belongs from now on; for administrators. Its API keys are revoked.
    """
    file: UploadedFile | None = None
    """The bot's new picture, as the only file of a multipart form."""
    service_payload_url: (
        Annotated[str, Field(max_length=MAX_URL_LENGTH, examples=["https://example.com/hook"])]
        | None
    ) = None
    """A new address that an outgoing webhook bot calls."""
    service_interface: Annotated[int, Field(ge=1, le=MAX_INTERFACE)] | None = None
    """The form of these calls; 1 is the only one."""
