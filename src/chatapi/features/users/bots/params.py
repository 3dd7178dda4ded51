"""Parameters of the bot endpoints."""

from typing import Annotated

from pydantic import Field

from chatapi.core.roles import BotType
from chatapi.features.users.params import MAX_NAME_LENGTH
from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_SHORT_NAME_LENGTH = 60


class CreateBotParams(Params):
    """POST /bots: a bot owned by the caller."""

    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Weather"])]
    short_name: Annotated[
        str,
        Field(
            max_length=MAX_SHORT_NAME_LENGTH,
            description="The bot's email address begins with it.",
            examples=["weather"],
        ),
    ]
    bot_type: Annotated[
        int,
        Field(
            ge=min(BotType),
            le=max(BotType),
            description="1 (generic) or 2 (incoming webhook, which can only send).",
        ),
    ] = BotType.GENERIC.value
    file: UploadedFile | None = Field(default=None, description="The bot's picture.")


class ChangeBotParams(Params):
    """PATCH /bots/{bot_id}: what is not passed stays unchanged."""

    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Weather"])] | None = None
    bot_owner_id: Id | None = None
    file: UploadedFile | None = Field(default=None, description="The bot's new picture.")
