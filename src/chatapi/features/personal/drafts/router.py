"""Endpoints of drafts."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import DraftId
from chatapi.features.personal.drafts.params import CreateDraftsParams, EditDraftParams
from chatapi.features.personal.drafts.payloads import CreatedDraftsPayload, DraftsPayload
from chatapi.features.personal.drafts.service import DraftService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

DraftInPath = Annotated[Id, Field(description="The `id` of the draft, which must be yours.")]

router = FeatureRouter("Drafts", "What you have begun to write, in all your clients.")


@router.get("/drafts")
async def get_drafts(ctx: LoggedIn) -> DraftsPayload:
    """Get your drafts.

    The one you edited last is at the end.
    """
    drafts = await DraftService(ctx).list_own()
    return {"count": len(drafts), "drafts": drafts}


@router.post("/drafts")
async def create_drafts(ctx: LoggedIn, params: CreateDraftsParams) -> CreatedDraftsPayload:
    """Store drafts; all of them or, if one of them is invalid, none.

    A draft may be addressed to a channel you can read in, to users, or have no recipient yet. You
    can have 500.
    """
    return await DraftService(ctx).add(params)


@router.patch("/drafts/{draft_id:int}")
async def edit_draft(ctx: LoggedIn, draft_id: DraftInPath, params: EditDraftParams) -> None:
    """Replace a draft.

    With a complete new one. Refused while your setting `enable_drafts_synchronization` is off. Your
    clients receive a `drafts/update` event.
    """
    await DraftService(ctx).change(DraftId(draft_id), params)


@router.delete("/drafts/{draft_id:int}")
async def delete_draft(ctx: LoggedIn, draft_id: DraftInPath) -> None:
    """Delete a draft.

    Clients call it also when the message is sent. Your clients receive a `drafts/remove` event.
    """
    await DraftService(ctx).remove(DraftId(draft_id))
