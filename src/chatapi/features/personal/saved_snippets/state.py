"""The saved snippets part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.personal.saved_snippets.payloads import SnippetsPayload
from chatapi.features.personal.saved_snippets.service import SnippetService
from chatapi.features.state import state_section


@state_section("saved_snippets")
async def load_saved_snippets(ctx: Context, profile: ClientProfile) -> SnippetsPayload:
    del profile
    return await SnippetService(ctx).list_own()
