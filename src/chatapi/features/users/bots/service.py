"""Use cases: create, change and deactivate bots, and issue their keys."""

from msgspec.structs import replace

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.auth.users import UserRecord
from chatapi.core.errors import AdministratorRequiredError, BadRequestError
from chatapi.core.ids import UserId, new_api_key
from chatapi.core.roles import BotType, Role
from chatapi.features.users.activation import deactivate_user
from chatapi.features.users.api_key_payloads import ApiKeyPayload
from chatapi.features.users.api_keys import add_login_key
from chatapi.features.users.avatar_changes import change_avatar, stored_avatar
from chatapi.features.users.bot_changes import give_bot
from chatapi.features.users.bot_event_emitter import emit_bot_updated
from chatapi.features.users.bot_payloads import NO_DEFAULTS, CreatedBotPayload, OwnBotsPayload
from chatapi.features.users.bot_records import BotServiceRecord
from chatapi.features.users.bot_rules import (
    bot_email,
    check_bot_type,
    check_interface,
    check_owner,
    check_service_url,
    may_manage,
    own_bot_payload,
)
from chatapi.features.users.bots.params import ChangeBotParams, CreateBotParams
from chatapi.features.users.changes import rename_user, replace_api_key
from chatapi.features.users.creation import NewUser, add_user
from chatapi.features.users.repository import BotServiceRepository, UserRepository
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import RealmPermission
from chatapi.permissions.user_visibility import user_visibility


class BotService:
    """Manages the caller's bots; administrators manage all of them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._users = UserRepository(ctx.db, ctx.realm.id)

    async def create(self, params: CreateBotParams) -> CreatedBotPayload:
        """Create a bot of the caller; the response contains the only copy of its key."""
        bot_type = check_bot_type(params.bot_type)
        email = bot_email(params.short_name, self._ctx.bot_domain)
        bot = NewUser(
            email=email,
            full_name=params.full_name,
            role=Role.MEMBER.capped_at(self._ctx.user.role),
            bot_type=bot_type,
            bot_owner_id=self._ctx.user.id,
            bot_service=_new_service(bot_type, params),
        )
        if params.file is None:
            return await self._create(bot, bot_type, None)
        await self._require_creation(bot_type)
        async with stored_avatar(self._ctx, params.file) as avatar_path:
            return await self._create(bot, bot_type, avatar_path)

    async def _create(
        self, new: NewUser, bot_type: BotType, avatar_path: str | None
    ) -> CreatedBotPayload:
        await self._ctx.lock()
        await self._require_creation(bot_type)
        created = await add_user(self._ctx, new)
        bot = created.user
        if avatar_path is not None:
            bot = await change_avatar(self._ctx, bot, avatar_path)
        return {
            "user_id": created.user.id,
            "api_key": created.api_key,
            "avatar_url": own_bot_payload(bot, self._ctx.realm)["avatar_url"],
            **NO_DEFAULTS,
        }

    async def list_own(self) -> OwnBotsPayload:
        """The caller's active bots."""
        bots = await self._users.list_active_bots(of=self._ctx.user.id)
        return {"bots": [own_bot_payload(bot, self._ctx.realm) for bot in bots]}

    async def change(self, bot_id: UserId, params: ChangeBotParams) -> None:
        """Rename a bot, change its picture, or, as an administrator, its owner.

        Users cannot decline a bot, and it may write in the channels of its owner: so its owner
        alone cannot make another user responsible for it.
        """
        if params.file is None:
            return await self._change(bot_id, params, None)
        await self._get_managed(bot_id)
        async with stored_avatar(self._ctx, params.file) as avatar_path:
            return await self._change(bot_id, params, avatar_path)

    async def _change(
        self, bot_id: UserId, params: ChangeBotParams, avatar_path: str | None
    ) -> None:
        bot = await self._get_managed(bot_id)
        if avatar_path is not None:
            bot = await change_avatar(self._ctx, bot, avatar_path)
        if params.full_name is not None and params.full_name.strip() != bot.full_name:
            await rename_user(self._ctx, bot, params.full_name)
        if params.bot_owner_id is not None and params.bot_owner_id != bot.bot_owner_id:
            if not self._ctx.user.role.at_least(Role.ADMIN):
                raise AdministratorRequiredError
            owner = await self._users.find(UserId(params.bot_owner_id))
            if owner is not None and not (await user_visibility(self._ctx)).can_see(owner):
                owner = None
            await give_bot(self._ctx, bot, check_owner(owner))
        await self._change_service(bot, params)

    async def _change_service(self, bot: UserRecord, params: ChangeBotParams) -> None:
        url, interface = params.service_payload_url, params.service_interface
        if url is None and interface is None:
            return
        services = BotServiceRepository(self._ctx.db)
        service = (await services.list_of([bot])).get(bot.id)
        if service is None:
            raise BadRequestError("service_payload_url: Only outgoing webhook bots call a service")
        changed = replace(
            service,
            base_url=service.base_url
            if url is None
            else check_service_url("service_payload_url", url),
            interface=service.interface
            if interface is None
            else check_interface("service_interface", interface),
        )
        if changed != service:
            await services.put(bot.id, changed)
            # Without the address, which may contain a password or a token.
            self._ctx.audit(AuditChange(AuditKind.BOT_SERVICE_CHANGED, user_id=bot.id))
            await emit_bot_updated(self._ctx, bot)

    async def deactivate(self, bot_id: UserId) -> None:
        """Deactivate a bot: its keys and queues end with the commit."""
        await deactivate_user(self._ctx, await self._get_managed(bot_id))

    async def issue_api_key(self, bot_id: UserId) -> ApiKeyPayload:
        """Create a further key, since only digests of the existing ones are stored."""
        bot = await self._get_managed(bot_id)
        return {"api_key": await add_login_key(self._ctx, bot.id, self._ctx.client_name)}

    async def regenerate_api_key(self, bot_id: UserId) -> ApiKeyPayload:
        """Create a new key and revoke all existing ones."""
        return {"api_key": await replace_api_key(self._ctx, await self._get_managed(bot_id))}

    async def _require_creation(self, bot_type: BotType) -> None:
        """The permission to create all kinds of bots includes those that can only send."""
        if self._ctx.user.is_bot:
            raise BadRequestError("Bots cannot create bots")
        if await is_allowed_in_realm(self._ctx, RealmPermission.CAN_CREATE_BOTS):
            return
        is_write_only = bot_type is BotType.INCOMING_WEBHOOK
        may_create = is_write_only and await is_allowed_in_realm(
            self._ctx, RealmPermission.CAN_CREATE_WRITE_ONLY_BOTS
        )
        if not may_create:
            raise BadRequestError("Insufficient permission")

    async def _get_managed(self, bot_id: UserId) -> UserRecord:
        """An active bot that the caller may manage, read under the lock."""
        await self._ctx.lock()
        bot = await self._users.find(bot_id)
        if bot is None or not bot.is_bot or not (await user_visibility(self._ctx)).can_see(bot):
            raise BadRequestError("No such bot")
        if not may_manage(self._ctx.user, bot):
            raise BadRequestError("Insufficient permission")
        if not bot.is_active:
            raise BadRequestError("Bot is deactivated")
        return bot


def _new_service(bot_type: BotType, params: CreateBotParams) -> BotServiceRecord | None:
    if bot_type is not BotType.OUTGOING_WEBHOOK:
        return None
    if not params.payload_url:
        raise BadRequestError("Missing 'payload_url' argument")
    return BotServiceRecord(
        base_url=check_service_url("payload_url", params.payload_url),
        interface=check_interface("interface_type", params.interface_type),
        token=new_api_key(),
    )
