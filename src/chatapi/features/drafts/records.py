"""Drafts inside the service."""

from dataclasses import dataclass
from datetime import datetime

from chatapi.core.ids import DraftId
from chatapi.features.drafts.params import DraftType


@dataclass(frozen=True)
class DraftText:
    """What somebody wrote, to whom, and when they last touched it."""

    kind: DraftType
    recipient_ids: list[int]
    topic: str
    content: str
    last_edited_at: datetime


@dataclass(frozen=True)
class DraftRecord(DraftText):
    """A draft that is kept."""

    id: DraftId
