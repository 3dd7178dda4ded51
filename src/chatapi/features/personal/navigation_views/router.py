"""Endpoints of navigation views."""

from typing import Annotated

from pydantic import Field

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

ViewInPath = Annotated[
    RestOfPath,
    Field(description="The address of the view, as in `fragment`; slashes need not be encoded."),
]

router = FeatureRouter("Navigation views", "Places in a client you pin, hide or name.")


@router.get("/navigation_views")
async def get_navigation_views(ctx: LoggedIn) -> ViewsPayload:
    """Get your navigation views.

    Built-in views of clients are listed only if you changed whether they are pinned.
    """
    return await ViewService(ctx).list_own()


@router.post("/navigation_views")
async def add_navigation_view(ctx: LoggedIn, params: AddViewParams) -> None:
    """Add a navigation view.

    You can have 200; its address must be new. Your clients receive a `navigation_view/add` event.
    """
    await ViewService(ctx).add(params)


@router.patch("/navigation_views/{fragment:path}", responses=raises(ViewToEditDoesNotExistError))
async def edit_navigation_view(ctx: LoggedIn, fragment: ViewInPath, params: EditViewParams) -> None:
    """Rename, pin or unpin a navigation view.

    What is not passed stays unchanged. Your clients receive a `navigation_view/update` event.
    """
    await ViewService(ctx).change(fragment, params)


@router.delete("/navigation_views/{fragment:path}", responses=raises(ViewToRemoveDoesNotExistError))
async def remove_navigation_view(ctx: LoggedIn, fragment: ViewInPath) -> None:
    """Remove a navigation view.

    A built-in view is shown by clients as they like again. Your clients receive a
    `navigation_view/remove` event.
    """
    await ViewService(ctx).remove(fragment)
