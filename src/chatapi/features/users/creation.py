"""The only code that creates users; callers have checked the permission."""

from typing import Any

from msgspec import Struct

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import RealmContext
from chatapi.auth.notices import DirectNotice
from chatapi.auth.users import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId, new_api_key
from chatapi.core.names import name_key
from chatapi.core.roles import BotType, EmailVisibility, Role
from chatapi.features.channels import join_default_channels
from chatapi.features.users.bot_event_emitter import emit_bot_added
from chatapi.features.users.bot_records import BotServiceRecord
from chatapi.features.users.bot_rules import check_bot_role
from chatapi.features.users.group_events import emit_first_group
from chatapi.features.users.mail_domains.restriction import require_allowed_address
from chatapi.features.users.repository import (
    ApiKeyRepository,
    BotServiceRepository,
    DefaultSettingsRepository,
    FullMemberRepository,
    UserRepository,
)
from chatapi.features.users.rules import check_email, check_full_name
from chatapi.features.users.visibility_events import user_added
from chatapi.permissions.user_visibility import user_visible_to


class NewUser(Struct, frozen=True):
    """The properties of a user to create."""

    email: str
    full_name: str
    role: Role = Role.MEMBER
    password_hash: str | None = None
    bot_type: BotType | None = None
    bot_owner_id: UserId | None = None
    bot_service: BotServiceRecord | None = None


class CreatedUser(Struct, frozen=True):
    """A new user and the only copy of their API key in plain text."""

    user: UserRecord
    api_key: str


async def add_user(ctx: RealmContext, new: NewUser) -> CreatedUser:
    """Create a user and emit it to all users who may see them."""
    email = check_email(new.email, ctx.realm.host(ctx.settings.root_domain))
    full_name = check_full_name(new.full_name)
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    if await users.find_by_delivery_email(email) is not None:
        raise BadRequestError(f"email {email} is already in use")
    if new.bot_type is None:
        await require_allowed_address(ctx, email)
    if new.bot_owner_id is not None:
        check_bot_role(new.role, await users.find(new.bot_owner_id))
    defaults = await _default_settings(ctx, new)
    visibility = defaults.pop("email_address_visibility", EmailVisibility.EVERYONE)
    user_id = await users.add(
        delivery_email=email,
        email_key=name_key(email),
        full_name=full_name,
        role=new.role,
        is_full_member=await FullMemberRepository(ctx.db).get_waiting_days(ctx.realm.id) == 0,
        is_active=True,
        bot_type=new.bot_type,
        bot_owner_id=new.bot_owner_id,
        date_joined=ctx.now(),
        timezone="",
        email_visibility=EmailVisibility(visibility),
        avatar_version=1,
        is_imported_stub=False,
        is_system_bot=False,
        settings=defaults,
        password_hash=new.password_hash,
    )
    api_key = new_api_key()
    await ApiKeyRepository(ctx.db).add(user_id, api_key, ctx.now(), name="", is_primary=True)
    if new.bot_service is not None:
        await BotServiceRepository(ctx.db).put(user_id, new.bot_service)
    user = await users.get(user_id)
    ctx.emit(user_added(ctx, user), to=user_visible_to(user))
    ctx.audit(
        AuditChange(
            AuditKind.BOT_CREATED if user.is_bot else AuditKind.USER_CREATED,
            user_id=user.id,
            new={"role": user.role, "bot_type": user.bot_type, "bot_owner_id": user.bot_owner_id},
        )
    )
    emit_first_group(ctx, user)
    await join_default_channels(ctx, user)
    if user.is_bot:
        await emit_bot_added(ctx, user)
    elif welcome := ctx.realm.options.welcome_message_custom_text:
        await ctx.runtime.post_notices(ctx, [DirectNotice(user.id, welcome)])
    return CreatedUser(user, api_key)


async def _default_settings(ctx: RealmContext, new: NewUser) -> dict[str, Any]:
    """What administrators chose for new users; bots begin with the defaults of the service."""
    if new.bot_type is not None:
        return {}
    return await DefaultSettingsRepository(ctx.db, ctx.realm.id).get()
