"""Endpoints of navigation views."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.personal.navigation_views.errors import (
    ViewToEditDoesNotExistError,
    ViewToRemoveDoesNotExistError,
)
from chatapi.features.personal.navigation_views.params import AddViewParams, EditViewParams
from chatapi.features.personal.navigation_views.payloads import ViewsPayload
from chatapi.features.personal.navigation_views.service import ViewService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import RestOfPath

router = FeatureRouter("Navigation views", "Places in a client you pin, hide or name.")


@router.get("/navigation_views")
async def get_navigation_views(ctx: LoggedIn) -> ViewsPayload:
    """Get your navigation views."""
    return await ViewService(ctx).list_own()


@router.post("/navigation_views")
async def add_navigation_view(ctx: LoggedIn, params: AddViewParams) -> None:
    """Add a navigation view; you can have 200."""
    await ViewService(ctx).add(params)


@router.patch("/navigation_views/{fragment:path}", responses=raises(ViewToEditDoesNotExistError))
async def edit_navigation_view(ctx: LoggedIn, fragment: RestOfPath, params: EditViewParams) -> None:
    """Rename, pin or unpin a navigation view."""
    await ViewService(ctx).change(fragment, params)


@router.delete("/navigation_views/{fragment:path}", responses=raises(ViewToRemoveDoesNotExistError))
async def remove_navigation_view(ctx: LoggedIn, fragment: RestOfPath) -> None:
    """Remove a navigation view."""
    await ViewService(ctx).remove(fragment)
