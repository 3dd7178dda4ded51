"""Endpoints of saved snippets."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import SavedSnippetId
from chatapi.features.personal.saved_snippets.errors import SnippetDoesNotExistError
from chatapi.features.personal.saved_snippets.params import CreateSnippetParams, EditSnippetParams
from chatapi.features.personal.saved_snippets.payloads import CreatedSnippetPayload, SnippetsPayload
from chatapi.features.personal.saved_snippets.service import SnippetService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

router = FeatureRouter("Saved snippets", "Texts you want to use again.")


@router.get("/saved_snippets")
async def get_saved_snippets(ctx: LoggedIn) -> SnippetsPayload:
    """Get your saved snippets."""
    return await SnippetService(ctx).list_own()


@router.post("/saved_snippets")
async def create_saved_snippet(ctx: LoggedIn, params: CreateSnippetParams) -> CreatedSnippetPayload:
    """Save a text to use again; you can have 500."""
    return await SnippetService(ctx).add(params)


@router.patch("/saved_snippets/{saved_snippet_id:int}", responses=raises(SnippetDoesNotExistError))
async def edit_saved_snippet(
    ctx: LoggedIn, saved_snippet_id: Id, params: EditSnippetParams
) -> None:
    """Change the title or content of a saved snippet."""
    await SnippetService(ctx).change(SavedSnippetId(saved_snippet_id), params)


@router.delete("/saved_snippets/{saved_snippet_id:int}", responses=raises(SnippetDoesNotExistError))
async def delete_saved_snippet(ctx: LoggedIn, saved_snippet_id: Id) -> None:
    """Delete a saved snippet."""
    await SnippetService(ctx).remove(SavedSnippetId(saved_snippet_id))
