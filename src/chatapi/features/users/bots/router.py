"""Endpoints of bots."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.auth.pictures import BadImageError
from chatapi.core.errors import AdministratorRequiredError
from chatapi.core.ids import UserId
from chatapi.features.users.api_key_payloads import ApiKeyPayload
from chatapi.features.users.bot_payloads import CreatedBotPayload, OwnBotsPayload
from chatapi.features.users.bots.params import ChangeBotParams, CreateBotParams
from chatapi.features.users.bots.service import BotService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

BotInPath = Annotated[
    Id, Field(description="The `user_id` of the bot, which you own or administer.")
]

router = FeatureRouter("Bots", "Users that programs act as.")


@router.get("/bots")
async def get_own_bots(ctx: LoggedIn) -> OwnBotsPayload:
    """Get your own bots.

    Without their API keys, of which only digests are stored: `GET /bots/{bot_id}/api_key` creates a
    further one.
    """
    return await BotService(ctx).list_own()


@router.post("/bots", responses=raises(BadImageError))
async def create_bot(ctx: LoggedIn, params: CreateBotParams) -> CreatedBotPayload:
    """Create a bot.

    Its email address is `{short_name}-bot@` and the host name of the organization, which
    `realm_bot_domain` of `POST /register` shows. The API key is returned only this once. An
    outgoing webhook bot (`bot_type` 3) needs a `payload_url`. A picture for it may be the only file
    of a multipart form, as for `POST /users/me/avatar`.
    """
    return await BotService(ctx).create(params)


@router.patch("/bots/{bot_id:int}", responses=raises(AdministratorRequiredError, BadImageError))
async def change_bot(ctx: LoggedIn, bot_id: BotInPath, params: ChangeBotParams) -> None:
    """Change a bot.

    Its name, its picture, its owner, or the address that it calls. For its owner and for
    administrators. Only administrators can change the owner. This revokes all API keys and event
    queues of the bot, and its role is lowered to that of the new owner if it is higher.
    """
    await BotService(ctx).change(UserId(bot_id), params)


@router.delete("/bots/{bot_id:int}")
async def deactivate_bot(ctx: LoggedIn, bot_id: BotInPath) -> None:
    """Deactivate a bot.

    For its owner and for administrators. Its API keys and event queues end at once; what it wrote
    stays. An administrator can reactivate it with `POST /users/{user_id}/reactivate`.
    """
    await BotService(ctx).deactivate(UserId(bot_id))


@router.get("/bots/{bot_id:int}/api_key")
async def get_bot_api_key(ctx: LoggedIn, bot_id: BotInPath) -> ApiKeyPayload:
    """Get an API key of a bot.

    Only digests of keys are stored, so each call creates a new key and leaves the others valid, as
    `POST /fetch_api_key` does for people; beyond 50 of them the oldest one is revoked.
    """
    return await BotService(ctx).issue_api_key(UserId(bot_id))


@router.post("/bots/{bot_id:int}/api_key/regenerate")
async def regenerate_bot_api_key(ctx: LoggedIn, bot_id: BotInPath) -> ApiKeyPayload:
    """Regenerate the API key of a bot.

    All its existing keys stop working at once.
    """
    return await BotService(ctx).regenerate_api_key(UserId(bot_id))
