"""Payloads of drafts (SPEC 2.9)."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.personal.drafts.params import DraftType
from chatapi.features.personal.drafts.records import DraftRecord
from chatapi.wire.types import UnixSeconds


class DraftPayload(TypedDict):
    """One draft."""

    id: int
    """Names the draft in `PATCH` and `DELETE /drafts/{draft_id}`."""
    type: DraftType
    """Whether it is for a channel (`stream`), for users (`private`), or has no recipient yet
    (empty)."""
    to: list[int]
    """The channel of a `stream` draft, as a list of one id; the recipients of a `private` one; else
    empty."""
    topic: str
    """The topic of a `stream` draft; else empty."""
    content: str
    """The text so far, in Markdown."""
    timestamp: UnixSeconds
    """When it was last edited, in Unix seconds."""


class DraftsPayload(TypedDict):
    """All drafts of a user, the most recently edited one last."""

    count: int
    """How many drafts there are."""
    drafts: list[DraftPayload]
    """Your drafts, the most recently edited one last."""


class CreatedDraftsPayload(TypedDict):
    """The ids of new drafts, in the order of the request."""

    ids: list[int]
    """The ids of the new drafts, in the order of the request."""


def draft_payload(draft: DraftRecord) -> DraftPayload:
    return {
        "id": draft.id,
        "type": draft.kind,
        "to": draft.recipient_ids,
        "topic": draft.topic,
        "content": draft.content,
        "timestamp": unix_seconds(draft.last_edited_at),
    }
