"""Changes personal settings, and emits the changes to the user's clients."""

from chatapi.auth.context import Context
from chatapi.features.users.presence.visibility import change_visibility
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.settings.events import UserSettingChanged
from chatapi.features.users.settings.rules import language_name, stored_settings

SettingValue = bool | int | str


async def change_settings(ctx: Context, passed: dict[str, SettingValue]) -> dict[str, SettingValue]:
    """Change settings of the caller; the realm is locked. Returns the actual changes."""
    user = ctx.user
    changes = {
        name: value for name, value in passed.items() if value != getattr(user.options, name)
    }
    if not changes:
        return {}
    users = UserRepository(ctx.db, ctx.realm.id)
    await users.change(user.id, settings=stored_settings(user.settings, changes))
    for name, value in changes.items():
        emit_setting(ctx, name, value)
    if "presence_enabled" in changes:
        await change_visibility(ctx, is_hidden=not changes["presence_enabled"])
    return changes


def emit_setting(ctx: Context, name: str, value: SettingValue) -> None:
    is_language = name == "default_language"
    ctx.emit_to_caller(
        UserSettingChanged(
            user_id=ctx.user.id,
            property=name,
            value=value,
            language_name=language_name(str(value)) if is_language else None,
        )
    )
