"""Use cases: list, save, change and delete snippets."""

from msgspec.structs import replace

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import SavedSnippetId
from chatapi.features.personal.saved_snippets.errors import SnippetDoesNotExistError
from chatapi.features.personal.saved_snippets.events import (
    SnippetAdded,
    SnippetRemoved,
    SnippetUpdated,
)
from chatapi.features.personal.saved_snippets.params import (
    MAX_SNIPPETS,
    CreateSnippetParams,
    EditSnippetParams,
)
from chatapi.features.personal.saved_snippets.payloads import (
    CreatedSnippetPayload,
    SnippetsPayload,
    snippet_payload,
)
from chatapi.features.personal.saved_snippets.records import SnippetRecord
from chatapi.features.personal.saved_snippets.repository import SnippetRepository


class SnippetService:
    """The saved snippets of a user."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = SnippetRepository(ctx.db, ctx.user.id)

    async def list_own(self) -> SnippetsPayload:
        """GET /saved_snippets."""
        snippets = await self._repository.list_all()
        return {"saved_snippets": [snippet_payload(snippet) for snippet in snippets]}

    async def add(self, params: CreateSnippetParams) -> CreatedSnippetPayload:
        """POST /saved_snippets."""
        await self._ctx.lock()
        if await self._repository.count() >= MAX_SNIPPETS:
            raise BadRequestError(f"Too many saved snippets (maximum {MAX_SNIPPETS})")
        snippet = await self._repository.add(params.title, params.content, self._ctx.now())
        self._ctx.emit_to_caller(SnippetAdded(saved_snippet=snippet_payload(snippet)))
        return {"saved_snippet_id": snippet.id}

    async def change(self, snippet_id: SavedSnippetId, params: EditSnippetParams) -> None:
        """PATCH /saved_snippets/{saved_snippet_id}: only what was passed."""
        await self._ctx.lock()
        snippet = await self._get(snippet_id)
        changed = replace(snippet, **params.model_dump(exclude_none=True))
        if changed == snippet:
            return
        await self._repository.change(changed)
        self._ctx.emit_to_caller(SnippetUpdated(saved_snippet=snippet_payload(changed)))

    async def remove(self, snippet_id: SavedSnippetId) -> None:
        """DELETE /saved_snippets/{saved_snippet_id}."""
        await self._ctx.lock()
        await self._get(snippet_id)
        await self._repository.remove(snippet_id)
        self._ctx.emit_to_caller(SnippetRemoved(saved_snippet_id=snippet_id))

    async def _get(self, snippet_id: SavedSnippetId) -> SnippetRecord:
        snippet = await self._repository.find(snippet_id)
        if snippet is None:
            raise SnippetDoesNotExistError
        return snippet
