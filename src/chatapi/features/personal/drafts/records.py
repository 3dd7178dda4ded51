"""Records of drafts."""

from dataclasses import dataclass
from datetime import datetime

from chatapi.core.ids import DraftId
from chatapi.features.personal.drafts.params import DraftType


@dataclass(frozen=True)
class DraftText:
    """The content of a draft, its recipients, and when it was last edited."""

    kind: DraftType
    recipient_ids: list[int]
    topic: str
    content: str
    last_edited_at: datetime


@dataclass(frozen=True)
class DraftRecord(DraftText):
    """A stored draft."""

    id: DraftId
