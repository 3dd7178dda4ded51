"""Payloads of drafts (SPEC 2.9)."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.personal.drafts.params import DraftType
from chatapi.features.personal.drafts.records import DraftRecord
from chatapi.wire.types import UnixSeconds


class DraftPayload(TypedDict):
    """One draft."""

    id: int
    type: DraftType
    to: list[int]
    topic: str
    content: str
    timestamp: UnixSeconds


class DraftsPayload(TypedDict):
    """All drafts of a user, the most recently edited one last."""

    count: int
    drafts: list[DraftPayload]


class CreatedDraftsPayload(TypedDict):
    """The ids of new drafts, in the order of the request."""

    ids: list[int]


def draft_payload(draft: DraftRecord) -> DraftPayload:
    return {
        "id": draft.id,
        "type": draft.kind,
        "to": draft.recipient_ids,
        "topic": draft.topic,
        "content": draft.content,
        "timestamp": unix_seconds(draft.last_edited_at),
    }
