"""Changes to a user's role, name, address and credentials; callers have checked permissions."""

from msgspec.structs import replace

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.names import name_key
from chatapi.core.roles import EmailVisibility, Role
from chatapi.events.restarts import restart_clients
from chatapi.features.channels import PersonalStateDiff, emit_visibility_change, list_channels
from chatapi.features.users.activation import is_only_owner
from chatapi.features.users.api_keys import add_api_key, revoke_access
from chatapi.features.users.avatar_addresses import Avatar, initials_of
from chatapi.features.users.avatar_changes import emit_avatar
from chatapi.features.users.bot_event_emitter import emit_bots_for_new_role
from chatapi.features.users.bot_rules import check_bot_role
from chatapi.features.users.errors import CannotDemoteLastOwnerError
from chatapi.features.users.events import PersonChange, UserUpdated
from chatapi.features.users.group_events import emit_system_group_changes
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.role_history import record_role_change
from chatapi.features.users.rules import check_email, check_full_name
from chatapi.permissions.user_visibility import sees_all_users, user_visible_to


async def change_role(ctx: RealmContext, user: UserRecord, role: Role) -> None:
    """Change a user's role; the last owner stays one.

    Bots of a user whose role is lowered are lowered with it: they never have a higher one.
    """
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    before = await users.get(user.id)
    if role is before.role:
        return
    if await is_only_owner(users, before):
        raise CannotDemoteLastOwnerError(is_last_owner=True, entity="organization owner")
    if before.bot_owner_id is not None:
        check_bot_role(role, await users.find(before.bot_owner_id))
    await apply_role(ctx, before, role)
    for bot in await users.list_bots_above(role, of=before.id):
        await apply_role(ctx, bot, role)


async def apply_role(ctx: RealmContext, before: UserRecord, role: Role) -> None:
    """Write a role that was checked, and emit all consequences; call it under the lock."""
    channels = await list_channels(ctx)
    diff = await PersonalStateDiff.before(
        ctx,
        channel_ids=[channel.id for channel in channels],
        user_ids=[before.id],
        is_about_access=True,
    )
    await record_role_change(ctx, [before])
    await UserRepository(ctx.db, ctx.realm.id).change(before.id, role=role)
    await diff.read_after()
    diff.emit_lost()
    ctx.emit(UserUpdated(person={"user_id": before.id, "role": role}), to=user_visible_to(before))
    ctx.audit(
        AuditChange(AuditKind.USER_ROLE_CHANGED, user_id=before.id, old=before.role, new=role)
    )
    after = replace(before, role=role)
    emit_system_group_changes(ctx, [(before, after)])
    await emit_bots_for_new_role(ctx, before, role)
    await emit_visibility_change(ctx, before, after)
    diff.emit_gained()
    if await _sees_others_differently(ctx, before, after):
        await restart_clients(ctx.work, ctx.realm.id, [after.id])


async def _sees_others_differently(
    ctx: RealmContext, before: UserRecord, after: UserRecord
) -> bool:
    """Whether the new role changes which users, or which real addresses, the user can see."""
    if sees_all_users(ctx.realm, before) is not sees_all_users(ctx.realm, after):
        return True
    changed = [each for each in EmailVisibility if _is_shown_differently(each, before, after)]
    users = UserRepository(ctx.db, ctx.realm.id)
    return bool(changed) and await users.has_others_with_visibility(after.id, changed)


def _is_shown_differently(
    visibility: EmailVisibility, before: UserRecord, after: UserRecord
) -> bool:
    return visibility.shows_to(before.role) is not visibility.shows_to(after.role)


async def rename_user(ctx: RealmContext, user: UserRecord, full_name: str) -> None:
    """Change a user's name."""
    await ctx.lock()
    full_name = check_full_name(full_name)
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, full_name=full_name)
    ctx.emit(
        UserUpdated(person={"user_id": user.id, "full_name": full_name}), to=user_visible_to(user)
    )
    is_drawn = Avatar.of(user, ctx.realm).source == "J"
    if is_drawn and initials_of(full_name) != initials_of(user.full_name):
        emit_avatar(ctx, replace(user, full_name=full_name))


async def change_timezone(ctx: RealmContext, user: UserRecord, timezone: str) -> None:
    """Change a user's time zone."""
    await ctx.lock()
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, timezone=timezone)
    email = user.api_email(ctx.realm, ctx.settings.root_domain)
    ctx.emit(
        UserUpdated(person={"user_id": user.id, "email": email, "timezone": timezone}),
        to=user_visible_to(user),
    )


async def change_address(
    ctx: RealmContext, user: UserRecord, email: str, visibility: EmailVisibility
) -> None:
    """Change a user's real address, or who may see it."""
    await ctx.lock()
    email = check_email(email, ctx.realm.host(ctx.settings.root_domain))
    users = UserRepository(ctx.db, ctx.realm.id)
    holder = await users.find_by_delivery_email(email)
    if holder is not None and holder.id != user.id:
        raise BadRequestError(f"email {email} is already in use")
    await users.change(
        user.id, delivery_email=email, email_key=name_key(email), email_visibility=visibility
    )
    if email != user.delivery_email:
        # Without the addresses: users can hide theirs, also from administrators.
        ctx.audit(AuditChange(AuditKind.USER_EMAIL_CHANGED, user_id=user.id))
    _emit_address(ctx, user, replace(user, delivery_email=email, email_visibility=visibility))


def _emit_address(ctx: RealmContext, before: UserRecord, after: UserRecord) -> None:
    """Emit the address to readers who may see it, and the avatar, which is derived from it."""
    old_email = before.api_email(ctx.realm, ctx.settings.root_domain)
    new_email = after.api_email(ctx.realm, ctx.settings.root_domain)
    # Addresses of bots are never hidden.
    visibility = EmailVisibility.EVERYONE if after.is_bot else after.email_visibility
    address: PersonChange = {"user_id": after.id, "delivery_email": after.delivery_email}
    ctx.emit(UserUpdated(person=address, email_visibility=visibility), to=user_visible_to(after))
    if new_email != old_email:
        ctx.emit(
            UserUpdated(person={"user_id": after.id, "new_email": new_email}),
            to=user_visible_to(after),
        )
    emit_avatar(ctx, after)


async def change_password(ctx: RealmContext, user: UserRecord, password_hash: str) -> None:
    """Change a password; existing API keys stay valid."""
    if user.is_bot:
        raise BadRequestError("Bots have no password")
    await ctx.lock()
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, password_hash=password_hash)
    ctx.audit(AuditChange(AuditKind.USER_PASSWORD_CHANGED, user_id=user.id))


async def replace_api_key(ctx: RealmContext, user: UserRecord) -> str:
    """Create a new API key; the old ones of all devices are revoked, with their event queues."""
    await revoke_access(ctx, user.id)
    return await add_api_key(ctx, user, name="")
