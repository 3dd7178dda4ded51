"""Changes to a user's standing; callers have checked who may make them."""

from dataclasses import replace

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import new_api_key
from chatapi.core.names import name_key
from chatapi.core.roles import EmailVisibility, Role
from chatapi.events.restarts import restart_clients
from chatapi.features.accounts.keys import revoke_access
from chatapi.features.belongings.watch import BelongingsWatch
from chatapi.features.bots.announcements import tell_bots_of_new_role
from chatapi.features.bots.rules import check_bot_role
from chatapi.features.channels.repository import ChannelRepository
from chatapi.features.channels.sight import tell_new_sight
from chatapi.features.users.activation import keep_an_owner
from chatapi.features.users.events import PersonChange, PicturedBy, UserUpdated
from chatapi.features.users.memberships import tell_moves
from chatapi.features.users.repository import ApiKeyRepository, UserRepository
from chatapi.features.users.rules import check_email, check_full_name
from chatapi.features.users.standing import note_standing
from chatapi.permissions.people import sees_everybody, who_sees


async def change_role(ctx: RealmContext, user: UserRecord, role: Role) -> None:
    """Give a user another role; the last owner stays one.

    Bots of a user whose role is lowered are lowered with it: they never have a higher one.
    """
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    before = await users.get(user.id)
    if role is before.role:
        return
    await keep_an_owner(users, before)
    if before.bot_owner_id is not None:
        check_bot_role(role, await users.find(before.bot_owner_id))
    await apply_role(ctx, before, role)
    for bot in await users.list_bots_above(role, of=before.id):
        await apply_role(ctx, bot, role)


async def apply_role(ctx: RealmContext, before: UserRecord, role: Role) -> None:
    """Write a role that was checked, and tell what follows from it; call it under the lock."""
    channels = await ChannelRepository(ctx.db, ctx.realm.id).list_all()
    watch = await BelongingsWatch.before(
        ctx, channel_ids=[channel.id for channel in channels], user_ids=[before.id]
    )
    await note_standing(ctx, [before])
    await UserRepository(ctx.db, ctx.realm.id).change(before.id, role=role)
    await watch.look_again()
    watch.tell_lost()
    ctx.emit(UserUpdated(person={"user_id": before.id, "role": role}), to=who_sees(before))
    after = replace(before, role=role)
    tell_moves(ctx, [(before, after)])
    await tell_bots_of_new_role(ctx, before, role)
    await tell_new_sight(ctx, before, after)
    watch.tell_gained()
    if await _sees_others_differently(ctx, before, after):
        await restart_clients(ctx.work, ctx.realm.id, [after.id])


async def _sees_others_differently(
    ctx: RealmContext, before: UserRecord, after: UserRecord
) -> bool:
    """Whether other people exist for somebody in their new role, or show other addresses."""
    if sees_everybody(ctx.realm, before) is not sees_everybody(ctx.realm, after):
        return True
    changed = [each for each in EmailVisibility if _is_shown_differently(each, before, after)]
    users = UserRepository(ctx.db, ctx.realm.id)
    return bool(changed) and await users.has_others_with_visibility(after.id, changed)


def _is_shown_differently(
    visibility: EmailVisibility, before: UserRecord, after: UserRecord
) -> bool:
    return visibility.shows_to(before.role) is not visibility.shows_to(after.role)


async def rename_user(ctx: RealmContext, user: UserRecord, full_name: str) -> None:
    """Give a user another name."""
    await ctx.lock()
    full_name = check_full_name(full_name)
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, full_name=full_name)
    ctx.emit(UserUpdated(person={"user_id": user.id, "full_name": full_name}), to=who_sees(user))


async def change_timezone(ctx: RealmContext, user: UserRecord, timezone: str) -> None:
    """Note where a user lives."""
    await ctx.lock()
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, timezone=timezone)
    email = user.api_email(ctx.realm, ctx.settings.root_domain)
    ctx.emit(
        UserUpdated(person={"user_id": user.id, "email": email, "timezone": timezone}),
        to=who_sees(user),
    )


async def change_address(
    ctx: RealmContext, user: UserRecord, email: str, visibility: EmailVisibility
) -> None:
    """Give a user another address, or show it to other people."""
    await ctx.lock()
    email = check_email(email, ctx.realm.host(ctx.settings.root_domain))
    users = UserRepository(ctx.db, ctx.realm.id)
    holder = await users.find_by_delivery_email(email)
    if holder is not None and holder.id != user.id:
        raise BadRequestError(f"email {email} is already in use")
    await users.change(
        user.id, delivery_email=email, email_key=name_key(email), email_visibility=visibility
    )
    _tell_address(ctx, user, replace(user, delivery_email=email, email_visibility=visibility))


def _tell_address(ctx: RealmContext, before: UserRecord, after: UserRecord) -> None:
    """Everybody learns what they may see of it; pictures are made from addresses."""
    old_email = before.api_email(ctx.realm, ctx.settings.root_domain)
    new_email = after.api_email(ctx.realm, ctx.settings.root_domain)
    # Bots hide nothing.
    visibility = EmailVisibility.EVERYONE if after.is_bot else after.email_visibility
    address: PersonChange = {"user_id": after.id, "delivery_email": after.delivery_email}
    ctx.emit(UserUpdated(person=address, email_visibility=visibility), to=who_sees(after))
    if new_email != old_email:
        ctx.emit(
            UserUpdated(person={"user_id": after.id, "new_email": new_email}), to=who_sees(after)
        )
    picture: PersonChange = {"user_id": after.id, "avatar_version": after.avatar_version}
    by: PicturedBy = {"delivery_email": after.delivery_email, "email": new_email}
    ctx.emit(
        UserUpdated(person=picture, email_visibility=visibility, pictured_by=by), to=who_sees(after)
    )


async def change_password(ctx: RealmContext, user: UserRecord, password_hash: str) -> None:
    """Another password; keys that were made with the old one stay valid."""
    if user.is_bot:
        raise BadRequestError("Bots have no password")
    await ctx.lock()
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, password_hash=password_hash)


async def replace_api_key(ctx: RealmContext, user: UserRecord) -> str:
    """A new API key; the old ones, of every device, end with the queues they were used for."""
    await revoke_access(ctx, user.id)
    api_key = new_api_key()
    await ApiKeyRepository(ctx.db).add(user.id, api_key, ctx.now(), is_primary=True)
    return api_key
