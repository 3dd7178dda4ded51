"""Events about logins."""

from collections.abc import Iterable
from typing import ClassVar

from typing_extensions import override

from chatapi.core.ids import UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, UserTag
from chatapi.events.event import Event


class OldLoginsEnded(Event):
    """A user's oldest login keys were revoked by a new login; processes check the others again."""

    type = "old_logins_ended"
    is_internal = True
    cache_tags: ClassVar = NO_CACHE_TAGS

    user_id: UserId

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(self.user_id)
