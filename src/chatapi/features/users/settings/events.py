"""Events about personal settings."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from pydantic import Field
from typing_extensions import override

from chatapi.core.ids import UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, UserTag, shared_sections
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly


class UserSettingChanged(Event):
    """A user changed one of their settings; delivered only to their own clients."""

    type = "user_settings"
    op: ClassVar = "update"
    cache_tags: ClassVar = NO_CACHE_TAGS

    user_id: Annotated[UserId | None, ServerOnly()] = None
    user_ids: Annotated[list[UserId], ServerOnly()] = Field(default_factory=list)
    """The users, where an administrator changed the settings of several."""
    property: str
    """Which of your settings changed."""
    value: bool | int | str
    """Its new value; the type depends on the setting."""
    language_name: str | None = None
    """With the property `default_language`: the name of the language in that language."""

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body: dict[str, Any] = {"property": self.property, "value": self.value}
        if self.language_name is not None:
            body["language_name"] = self.language_name
        return body

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        if self.user_id is not None:
            yield UserTag(self.user_id)
        yield from map(UserTag, self.user_ids)
        if self.property == "presence_enabled":
            # Users who hide their presence are listed as away.
            yield from shared_sections("user_status")
