"""The bots part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.core.roles import Role
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.bot_payloads import BotPayload
from chatapi.features.users.bot_rules import bot_payload
from chatapi.features.users.repository import BotServiceRepository, UserRepository


class BotsState(TypedDict):
    """The active bots that the caller owns, or sees as an administrator."""

    realm_bots: list[BotPayload]
    """The active bots that you own; for administrators, all active bots."""


@state_section("realm_bot")
async def load_bots(ctx: Context, _profile: ClientProfile) -> BotsState:
    users = UserRepository(ctx.db, ctx.realm.id)
    is_admin = ctx.user.role.at_least(Role.ADMIN)
    bots = await users.list_active_bots(of=None if is_admin else ctx.user.id)
    services = await BotServiceRepository(ctx.db).list_of(bots)
    return {"realm_bots": [bot_payload(bot, services.get(bot.id)) for bot in bots]}
