"""Use cases: add and remove playgrounds."""

import re

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context, RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import PlaygroundId
from chatapi.core.web_addresses import is_web_address
from chatapi.events.audience import Everyone
from chatapi.features.realm.playgrounds.events import PlaygroundsChanged
from chatapi.features.realm.playgrounds.params import MAX_PLAYGROUNDS, AddPlaygroundParams
from chatapi.features.realm.playgrounds.payloads import (
    CreatedPlaygroundPayload,
    PlaygroundPayload,
)
from chatapi.features.realm.playgrounds.repository import PlaygroundRepository
from chatapi.rendering import InvalidTemplateError, UrlTemplate

_LANGUAGE = re.compile(r"[^\s`{}][^`{}]*")
_CODE = "code"


class PlaygroundService:
    """Changes playgrounds for administrators."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._playgrounds = PlaygroundRepository(ctx.db, ctx.realm.id)

    async def add(self, params: AddPlaygroundParams) -> CreatedPlaygroundPayload:
        """POST /realm/playgrounds."""
        name = params.name.strip()
        language = params.pygments_language.strip()
        _check(name, language, params.url_template)
        await self._ctx.lock()
        others = await self._playgrounds.list_all()
        if len(others) >= MAX_PLAYGROUNDS:
            raise BadRequestError(f"Too many playgrounds (maximum {MAX_PLAYGROUNDS})")
        if any((each["name"], each["pygments_language"]) == (name, language) for each in others):
            raise BadRequestError("name: A playground of this language with this name exists")
        playground_id = await self._playgrounds.add(
            name=name, pygments_language=language, url_template=params.url_template
        )
        added = {"name": name, "url_template": params.url_template}
        self._ctx.audit(AuditChange(AuditKind.PLAYGROUND_ADDED, new=added))
        await self._emit()
        return {"id": playground_id}

    async def remove(self, playground_id: PlaygroundId) -> None:
        """DELETE /realm/playgrounds/{playground_id}."""
        await self._ctx.lock()
        playgrounds = {each["id"]: each for each in await self._playgrounds.list_all()}
        if playground_id not in playgrounds:
            raise BadRequestError("Invalid playground")
        await self._playgrounds.remove(playground_id)
        old = playgrounds[playground_id]
        removed = {"name": old["name"], "url_template": old["url_template"]}
        self._ctx.audit(AuditChange(AuditKind.PLAYGROUND_REMOVED, old=removed))
        await self._emit()

    async def _emit(self) -> None:
        playgrounds = await self._playgrounds.list_all()
        self._ctx.emit(PlaygroundsChanged(realm_playgrounds=playgrounds), to=Everyone())


async def list_playgrounds(ctx: RealmContext) -> list[PlaygroundPayload]:
    """All playgrounds, by id."""
    return await PlaygroundRepository(ctx.db, ctx.realm.id).list_all()


def _check(name: str, language: str, url_template: str) -> None:
    if not name or not name.isprintable():
        raise BadRequestError("name: Must be printable, and not blank")
    if not _LANGUAGE.fullmatch(language):
        raise BadRequestError("pygments_language: Invalid characters in language")
    try:
        template = UrlTemplate.parse(url_template)
    except InvalidTemplateError:
        raise BadRequestError("url_template: Invalid URL template.") from None
    if template.variables != {_CODE}:
        raise BadRequestError('url_template: Its only variable must be "code"')
    if not is_web_address(template.expand({_CODE: "x"})):
        raise BadRequestError("url_template: Must begin with https:// or http://")
