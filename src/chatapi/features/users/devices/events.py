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

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(self.user_id)


class DeviceChangePayload(TypedDict):
    """The new values of a device; those that did not change may be missing."""

    device_id: int
    push_key_id: NotRequired[int | None]
    push_token_id: NotRequired[str | None]
    pending_push_token_id: NotRequired[str | None]
    push_token_last_updated_timestamp: NotRequired[int | None]
    push_registration_error_code: NotRequired[str | None]


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
