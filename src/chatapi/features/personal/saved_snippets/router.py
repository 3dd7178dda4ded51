"""Endpoints of saved snippets."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import SavedSnippetId
from chatapi.features.personal.saved_snippets.errors import SnippetDoesNotExistError
from chatapi.features.personal.saved_snippets.params import CreateSnippetParams, EditSnippetParams
from chatapi.features.personal.saved_snippets.payloads import CreatedSnippetPayload, SnippetsPayload
from chatapi.features.personal.saved_snippets.service import SnippetService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

SnippetInPath = Annotated[Id, Field(description="The `id` of the snippet, which must be yours.")]

router = FeatureRouter("Saved snippets", "Texts you want to use again.")


@router.get("/saved_snippets")
async def get_saved_snippets(ctx: LoggedIn) -> SnippetsPayload:
    """Get your saved snippets.

    The oldest first; no other user sees them.
    """
    return await SnippetService(ctx).list_own()


@router.post("/saved_snippets")
async def create_saved_snippet(ctx: LoggedIn, params: CreateSnippetParams) -> CreatedSnippetPayload:
    """Save a text to use again.

    You can have 500. Your clients receive a `saved_snippets/add` event.
    """
    return await SnippetService(ctx).add(params)


@router.patch("/saved_snippets/{saved_snippet_id:int}", responses=raises(SnippetDoesNotExistError))
async def edit_saved_snippet(
    ctx: LoggedIn, saved_snippet_id: SnippetInPath, params: EditSnippetParams
) -> None:
    """Change a saved snippet.

    Its title, its content or both. Your clients receive a `saved_snippets/update` event.
    """
    await SnippetService(ctx).change(SavedSnippetId(saved_snippet_id), params)


@router.delete("/saved_snippets/{saved_snippet_id:int}", responses=raises(SnippetDoesNotExistError))
async def delete_saved_snippet(ctx: LoggedIn, saved_snippet_id: SnippetInPath) -> None:
    """Delete a saved snippet.

    Your clients receive a `saved_snippets/remove` event.
    """
    await SnippetService(ctx).remove(SavedSnippetId(saved_snippet_id))
