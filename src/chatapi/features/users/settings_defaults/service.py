"""Use case: change the defaults of personal settings."""

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.events.audience import Everyone
from chatapi.features.users.repository import DefaultSettingsRepository
from chatapi.features.users.settings.payloads import DefaultSettings
from chatapi.features.users.settings_defaults.events import DefaultSettingChanged
from chatapi.features.users.settings_defaults.params import ChangeDefaultsParams

_OF_THE_SERVICE = DefaultSettings()


class DefaultSettingsService:
    """Changes, for administrators, the settings of new users, not those of existing ones."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._defaults = DefaultSettingsRepository(ctx.db, ctx.realm.id)

    async def change(self, params: ChangeDefaultsParams) -> None:
        """PATCH /realm/user_settings_defaults: only actual changes are emitted."""
        await self._ctx.lock()
        stored = await self._defaults.get()
        current = DefaultSettings(**stored)
        changes = {
            name: value
            for name, value in params.passed_settings().items()
            if value != getattr(current, name)
        }
        if not changes:
            return
        merged = {**stored, **changes}
        await self._defaults.change(
            {
                name: value
                for name, value in merged.items()
                if value != getattr(_OF_THE_SERVICE, name)
            }
        )
        for name, value in changes.items():
            self._ctx.emit(DefaultSettingChanged(property=name, value=value), to=Everyone())
            self._ctx.audit(
                AuditChange(
                    AuditKind.DEFAULT_USER_SETTING_CHANGED,
                    property=name,
                    old=getattr(current, name),
                    new=value,
                )
            )
