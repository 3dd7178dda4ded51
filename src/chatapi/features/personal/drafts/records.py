"""Records of drafts."""

from datetime import datetime

from msgspec import Struct

from chatapi.core.ids import DraftId
from chatapi.features.personal.drafts.params import DraftType


class DraftText(Struct, frozen=True):
    """The content of a draft, its recipients, and when it was last edited."""

    kind: DraftType
    recipient_ids: list[int]
    topic: str
    content: str
    last_edited_at: datetime


class DraftRecord(DraftText, frozen=True):
    """A stored draft."""

    id: DraftId
