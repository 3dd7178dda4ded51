"""Events about alert words; delivered only to the user's own clients."""

from typing import ClassVar

from chatapi.events.cache_tags import RecipientPreferencesTag
from chatapi.events.event import Event


class AlertWordsChanged(Event):
    """The reader's alert words changed."""

    type = "alert_words"
    cache_tags: ClassVar = frozenset({RecipientPreferencesTag()})

    alert_words: list[str]
    """All current alert words."""
