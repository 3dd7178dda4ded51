"""Use cases: list, add, change and remove navigation views."""

from msgspec.structs import replace

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.personal.navigation_views.errors import (
    ViewToEditDoesNotExistError,
    ViewToRemoveDoesNotExistError,
)
from chatapi.features.personal.navigation_views.events import ViewAdded, ViewRemoved, ViewUpdated
from chatapi.features.personal.navigation_views.params import (
    MAX_VIEWS,
    AddViewParams,
    EditViewParams,
)
from chatapi.features.personal.navigation_views.payloads import (
    ViewDetailsPayload,
    ViewPayload,
    ViewsPayload,
)
from chatapi.features.personal.navigation_views.repository import ViewRecord, ViewRepository


class ViewService:
    """The navigation views of a user; only clients interpret the fragments."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = ViewRepository(ctx.db, ctx.user.id)

    async def list_own(self) -> ViewsPayload:
        """GET /navigation_views."""
        return {"navigation_views": [_payload(view) for view in await self._repository.list_all()]}

    async def add(self, params: AddViewParams) -> None:
        """POST /navigation_views."""
        await self._ctx.lock()
        views = await self._repository.list_all()
        if any(view.fragment == params.fragment for view in views):
            raise BadRequestError("fragment: Navigation view already exists.")
        if len(views) >= MAX_VIEWS:
            raise BadRequestError(f"Too many navigation views (maximum {MAX_VIEWS})")
        view = ViewRecord(params.fragment, params.is_pinned, params.name)
        await self._repository.add(view)
        self._ctx.emit_to_caller(ViewAdded(navigation_view=_payload(view)))

    async def change(self, fragment: str, params: EditViewParams) -> None:
        """PATCH /navigation_views/{fragment}: only what was passed."""
        await self._ctx.lock()
        view = await self._find(fragment)
        if view is None:
            raise ViewToEditDoesNotExistError
        changed = replace(view, **params.model_dump(exclude_none=True))
        if changed == view:
            return
        await self._repository.change(changed)
        details: ViewDetailsPayload = {"name": changed.name, "is_pinned": changed.is_pinned}
        self._ctx.emit_to_caller(ViewUpdated(fragment=fragment, data=details))

    async def remove(self, fragment: str) -> None:
        """DELETE /navigation_views/{fragment}."""
        await self._ctx.lock()
        if await self._find(fragment) is None:
            raise ViewToRemoveDoesNotExistError
        await self._repository.remove(fragment)
        self._ctx.emit_to_caller(ViewRemoved(fragment=fragment))

    async def _find(self, fragment: str) -> ViewRecord | None:
        views = await self._repository.list_all()
        return next((view for view in views if view.fragment == fragment), None)


def _payload(view: ViewRecord) -> ViewPayload:
    return {"fragment": view.fragment, "is_pinned": view.is_pinned, "name": view.name}
