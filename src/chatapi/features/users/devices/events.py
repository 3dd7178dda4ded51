"""Events about devices; delivered only to the clients of their user."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, NotRequired

from typing_extensions import TypedDict, override

from chatapi.core.ids import DeviceId, UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, UserTag
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.users.devices.payloads import DevicePayload


class DeviceAdded(Event):
    """The reader's app registered a device."""

    type = "device"
    op: ClassVar = "add"
    cache_tags: ClassVar = NO_CACHE_TAGS

    user_id: Annotated[UserId, ServerOnly()]
    device_id: DeviceId
    """The new device; nothing is registered for it yet."""

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(self.user_id)


class DeviceRemoved(Event):
    """A device of the reader was removed."""

    type = "device"
    op: ClassVar = "remove"
    cache_tags: ClassVar = NO_CACHE_TAGS

    user_id: Annotated[UserId, ServerOnly()]
    device_id: DeviceId
    """The device that clients should forget."""

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(self.user_id)


class DeviceChangePayload(TypedDict):
    """The new values of a device; those that did not change may be missing."""

    device_id: int
    """The device that registered something."""
    push_key_id: NotRequired[int | None]
    """The client's number for the key that notifications are encrypted with; null for none."""
    push_token_id: NotRequired[str | None]
    """Names the token that notifications are sent to. Always null: this version registers none."""
    pending_push_token_id: NotRequired[str | None]
    """Names the token whose registration is not complete; null for none."""
    push_token_last_updated_timestamp: NotRequired[int | None]
    """When the token was last registered, in Unix seconds; null for never."""
    push_registration_error_code: NotRequired[str | None]
    """Why the registration failed; null if it did not."""


class DeviceUpdated(Event):
    """A device of the reader registered another key or token."""

    type = "device"
    op: ClassVar = "update"
    cache_tags: ClassVar = NO_CACHE_TAGS
    shape: ClassVar = DeviceChangePayload

    device_id: DeviceId
    device: Annotated[DevicePayload, ServerOnly()]

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        return {"device_id": self.device_id, **self.device}
