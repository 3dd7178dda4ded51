"""Events about drafts; only the clients of whoever writes them are told."""

from typing import ClassVar

from chatapi.events.event import Event
from chatapi.features.drafts.payloads import DraftPayload


class DraftsAdded(Event):
    """Somebody began to write."""

    type = "drafts"
    op: ClassVar = "add"
    changes_shared_state: ClassVar = False

    drafts: list[DraftPayload]


class DraftUpdated(Event):
    """Somebody went on writing."""

    type = "drafts"
    op: ClassVar = "update"
    changes_shared_state: ClassVar = False

    draft: DraftPayload


class DraftRemoved(Event):
    """A draft was sent or given up."""

    type = "drafts"
    op: ClassVar = "remove"
    changes_shared_state: ClassVar = False

    draft_id: int
