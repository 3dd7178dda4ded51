"""Looks up the users, groups, channels and emoji that a text may name, before it is rendered."""

from collections.abc import Collection

from msgspec.structs import replace

from chatapi.auth.context import Context
from chatapi.features.emoji import list_emoji_named
from chatapi.features.groups import list_groups_named
from chatapi.features.messages.repository import RecipientRepository
from chatapi.features.uploads import list_media
from chatapi.permissions.channels import channel_access
from chatapi.permissions.groups import is_allowed_in_group
from chatapi.permissions.settings import GroupPermission
from chatapi.permissions.user_visibility import user_visibility
from chatapi.rendering import (
    Directory,
    NamedChannel,
    NamedGroup,
    NamedUser,
    References,
    find_references,
    find_upload_paths,
)


async def directory_for(ctx: Context, content: str) -> Directory:
    """What the author may name in the text; most texts name nothing and cost no statement."""
    nothing = Directory(
        linkifiers=await ctx.runtime.linkifiers.of(ctx.db, ctx.realm.id),
        translates_emoticons=ctx.user.options.translate_emoticons,
        own_url=ctx.public_url,
    )
    upload_paths = find_upload_paths(content)
    if "*" not in content and ":" not in content and not upload_paths:
        # Every mention contains asterisks, every emoji colons.
        return nothing
    references = find_references(content)
    if not (
        upload_paths
        or references.user_names
        or references.user_ids
        or references.group_names
        or references.channel_names
        or references.emoji_names
    ):
        return nothing
    named = Directory.of(
        users=await _users(ctx, references),
        groups=await _groups(ctx, references.group_names),
        channels=await _channels(ctx, references.channel_names),
        emoji=await list_emoji_named(ctx, references.emoji_names),
        linkifiers=nothing.linkifiers,
        media=await list_media(ctx, upload_paths),
    )
    return replace(
        named, translates_emoticons=nothing.translates_emoticons, own_url=nothing.own_url
    )


async def _users(ctx: Context, references: References) -> list[NamedUser]:
    if not references.user_names and not references.user_ids:
        return []
    users = await RecipientRepository(ctx.db, ctx.realm.id).list_named(
        references.user_names, references.user_ids
    )
    visibility = await user_visibility(ctx)
    return [NamedUser(user.id, user.full_name) for user in users if visibility.can_see(user)]


async def _groups(ctx: Context, names: Collection[str]) -> list[NamedGroup]:
    groups = await list_groups_named(ctx, names)
    return [
        NamedGroup(
            group.id,
            group.name,
            can_be_mentioned=await is_allowed_in_group(ctx, GroupPermission.CAN_MENTION, group),
        )
        for group in groups
        if not group.deactivated
    ]


async def _channels(ctx: Context, names: Collection[str]) -> list[NamedChannel]:
    """A channel that the author may not see stays plain text."""
    if not names:
        return []
    access = await channel_access(ctx)
    found = [
        await ctx.runtime.channels.by_name(ctx.db, ctx.realm.id, name) for name in sorted(names)
    ]
    return [
        NamedChannel(known.record.id, known.record.name)
        for known in found
        if known is not None and access.can_see(known.record)
    ]
