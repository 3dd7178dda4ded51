"""The drafts part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.personal.drafts.payloads import DraftPayload
from chatapi.features.personal.drafts.service import DraftService
from chatapi.features.state import state_section


class DraftsState(TypedDict):
    """The caller's drafts; empty if the caller does not synchronize drafts between clients."""

    drafts: list[DraftPayload]
    """Your drafts, the most recently edited one last; empty if `enable_drafts_synchronization` is
    off."""


@state_section("drafts")
async def load_drafts(ctx: Context, profile: ClientProfile) -> DraftsState:
    del profile
    service = DraftService(ctx)
    return {"drafts": await service.list_own() if service.is_wanted else []}
