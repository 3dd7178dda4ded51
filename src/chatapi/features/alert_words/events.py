"""Events about alert words; only the person's own clients are told."""

from typing import ClassVar

from typing_extensions import override

from chatapi.events.event import Event


class AlertWordsChanged(Event):
    """Somebody watches for other words than before."""

    type = "alert_words"
    changes_shared_state: ClassVar = False

    alert_words: list[str]
    """All of them."""

    @override
    def changes_recipient_preferences(self) -> bool:
        return True
