"""Use cases: list, store, change and delete drafts."""

from datetime import UTC, datetime

from msgspec.structs import asdict

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import DraftId
from chatapi.features.personal.drafts.events import DraftRemoved, DraftsAdded, DraftUpdated
from chatapi.features.personal.drafts.params import (
    MAX_DRAFTS,
    CreateDraftsParams,
    DraftParam,
    EditDraftParams,
)
from chatapi.features.personal.drafts.payloads import (
    CreatedDraftsPayload,
    DraftPayload,
    draft_payload,
)
from chatapi.features.personal.drafts.recipients import check_form, check_recipients
from chatapi.features.personal.drafts.records import DraftRecord, DraftText
from chatapi.features.personal.drafts.repository import DraftRepository


class DraftService:
    """The drafts of a user.

    Addressing a draft gives its owner no access and notifies no user. It is kept unchanged when its
    owner loses access to its recipient.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = DraftRepository(ctx.db, ctx.user.id)

    @property
    def is_wanted(self) -> bool:
        return self._ctx.user.options.enable_drafts_synchronization

    async def list_own(self) -> list[DraftPayload]:
        """GET /drafts."""
        self._require_wanted()
        return [draft_payload(draft) for draft in await self._repository.list_all()]

    async def add(self, params: CreateDraftsParams) -> CreatedDraftsPayload:
        """POST /drafts (SPEC 4.17): all of them or none."""
        await self._ctx.lock()
        self._require_wanted()
        drafts = [self._read(draft) for draft in params.drafts]
        if not drafts:
            return {"ids": []}
        await check_recipients(self._ctx, drafts)
        if await self._repository.count() + len(drafts) > MAX_DRAFTS:
            raise BadRequestError(f"Too many drafts (maximum {MAX_DRAFTS})")
        ids = await self._repository.add(drafts)
        added = [_payload(draft_id, draft) for draft_id, draft in zip(ids, drafts, strict=True)]
        self._ctx.emit_to_caller(DraftsAdded(drafts=added))
        return {"ids": list(ids)}

    async def change(self, draft_id: DraftId, params: EditDraftParams) -> None:
        """PATCH /drafts/{draft_id} (SPEC 4.17).

        Unchanged recipients are not looked up again: the owner can continue editing, and learns
        nothing about changes to them.
        """
        await self._ctx.lock()
        self._require_wanted()
        old = await self._get(draft_id)
        draft = self._read(params.draft)
        if (draft.kind, draft.recipient_ids) != (old.kind, old.recipient_ids):
            await check_recipients(self._ctx, [draft])
        await self._repository.change(draft_id, draft)
        self._ctx.emit_to_caller(DraftUpdated(draft=_payload(draft_id, draft)))

    async def remove(self, draft_id: DraftId) -> None:
        """DELETE /drafts/{draft_id}."""
        await self._ctx.lock()
        self._require_wanted()
        await self._get(draft_id)
        await self._repository.remove(draft_id)
        self._ctx.emit_to_caller(DraftRemoved(draft_id=draft_id))

    async def _get(self, draft_id: DraftId) -> DraftRecord:
        draft = await self._repository.find(draft_id)
        if draft is None:
            raise BadRequestError("Draft does not exist")
        return draft

    def _read(self, param: DraftParam) -> DraftText:
        """A draft as stored: without the fields that its type ignores."""
        edited_at = self._ctx.now()
        if param.timestamp is not None:
            edited_at = datetime.fromtimestamp(param.timestamp, UTC)
        draft = DraftText(
            kind=param.type,
            recipient_ids=list(dict.fromkeys(param.to)) if param.type else [],
            topic=param.topic if param.type == "stream" else "",
            content=param.content,
            last_edited_at=edited_at,
        )
        check_form(draft)
        return draft

    def _require_wanted(self) -> None:
        if not self.is_wanted:
            raise BadRequestError("User has disabled synchronizing drafts.")


def _payload(draft_id: DraftId, draft: DraftText) -> DraftPayload:
    return draft_payload(DraftRecord(**asdict(draft), id=draft_id))


async def remove_all_drafts(ctx: Context) -> None:
    """Delete the drafts of a user who no longer wants them to be stored; emits no events."""
    await DraftRepository(ctx.db, ctx.user.id).remove_all()
