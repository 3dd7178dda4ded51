"""The event with which all processes stop serving a realm."""

from typing import ClassVar

from chatapi.events.cache_tags import SHARED_STATE, RealmTag
from chatapi.events.event import Event


class RealmDeleted(Event):
    """The realm is being deleted: what is cached of it, credentials included, is outdated."""

    type = "realm_deleted"
    is_internal = True
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}
