"""Events about alert words; delivered only to the user's own clients."""

from typing import ClassVar

from typing_extensions import override

from chatapi.events.cache_tags import RecipientPreferencesTag
from chatapi.events.event import Event


class AlertWordsChanged(Event):
    """The reader's alert words changed."""

    type = "alert_words"
    changes_shared_state: ClassVar = False
    cache_tags: ClassVar = frozenset({RecipientPreferencesTag()})

    alert_words: list[str]
    """All current alert words."""

    @override
    def changes_recipient_preferences(self) -> bool:
        return True
