"""Use cases: server settings and health checks."""

import asyncio
from functools import lru_cache

from chatapi.auth.context import ProcessContext, ServerContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.db.availability import is_unavailable
from chatapi.features.realm.picture_addresses import RealmPicture
from chatapi.features.realm.server.errors import NotReadyError
from chatapi.features.realm.server.payloads import ReadinessPayload, ServerSettingsPayload
from chatapi.features.realm.server.repository import ServerRepository
from chatapi.rendering import render_markdown
from chatapi.wire.version import VERSION_PAYLOAD

_PATIENCE_SECONDS = 1.0
_render_description = lru_cache(maxsize=1_000)(render_markdown)
"""Available without an account, so each text is rendered only once."""


class ServerService:
    """Describes the server to any client."""

    def __init__(self, ctx: ServerContext) -> None:
        self._ctx = ctx

    def describe(self) -> ServerSettingsPayload:
        """SPEC 4.20; with the realm only if the host name names one."""
        payload: ServerSettingsPayload = {
            "authentication_methods": {
                "password": True,
                "dev": False,
                "email": True,
                "ldap": False,
                "remoteuser": False,
                "github": False,
                "azuread": False,
                "gitlab": False,
                "apple": False,
                "google": False,
                "saml": False,
                "openid connect": False,
                "discord": False,
            },
            "external_authentication_methods": [],
            # It has exactly these keys, which mypy cannot know of a type that can be subclassed.
            **VERSION_PAYLOAD,  # type: ignore[typeddict-item]
            "push_notifications_enabled": False,
            # No client is known to be too old for this server.
            "is_incompatible": False,
            "email_auth_enabled": True,
            "require_email_format_usernames": True,
        }
        if self._ctx.maybe_realm is not None:
            self._add_realm(payload, self._ctx.maybe_realm)
        return payload

    def _add_realm(self, payload: ServerSettingsPayload, realm: RealmRecord) -> None:
        payload["realm_url"] = payload["realm_uri"] = self._ctx.public_url
        payload["realm_name"] = realm.name
        payload["realm_icon"] = RealmPicture.ICON.url_in(realm)
        payload["realm_description"] = _render_description(realm.options.description)
        payload["realm_web_public_access_enabled"] = realm.options.enable_spectator_access


class ProbeService:
    """Answers health checks."""

    def __init__(self, ctx: ProcessContext) -> None:
        self._hub = ctx.runtime.hub
        self._database = ctx.runtime.database
        self._server = ServerRepository(ctx.db)

    async def check_ready(self) -> ReadinessPayload:
        """Raise unless the database responds within a second; the bus is not needed to serve."""
        answers = {
            "database": await self._is_database_up(),
            "bus": await self._hub.is_bus_healthy(),
        }
        unavailable = [name for name, is_up in answers.items() if not is_up]
        if self._database.is_file_lost:
            unavailable.append("database_file")
        if not answers["database"]:
            raise NotReadyError(unavailable)
        if unavailable:
            return {"status": "degraded", "unavailable": unavailable}
        return {"status": "ok"}

    async def _is_database_up(self) -> bool:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await self._server.ping()
        except Exception as error:
            if not is_unavailable(error):
                raise
            return False
        return True
