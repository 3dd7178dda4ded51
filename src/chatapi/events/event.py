"""The base of all events: frozen, typed, declared once in the feature that emits them."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar, TypeAlias

from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from chatapi.core.ids import MessageId, QueueId, UserId
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import (
    NO_CACHE_TAGS,
    SHARED_STATE,
    AnyMessageTag,
    CacheTag,
    RealmTag,
)
from chatapi.events.client import ClientView

registry: dict[str, type["Event"]] = {}
"""Every event class by its name, `type` or `type/op`."""


Shape: TypeAlias = type
"""A TypedDict; inside an event `type` is a name."""


class ServerOnly:
    """Marks a field that only the server uses: clients never receive it."""


class Event(BaseModel):
    """Something that happened; its fields are what the log stores.

    A client receives `body`. Where that depends on the reader, `variant` names the few different
    forms, so that each is encoded once and not once per client.
    """

    # Deferred, as of parameters (`StrictModel`).
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    type: ClassVar[str]
    op: ClassVar[str | None] = None
    is_logged: ClassVar[bool] = True
    """False for ephemeral events, which only clients that poll now receive, such as typing."""
    cache_tags: ClassVar[frozenset[CacheTag]] = SHARED_STATE
    """Which cached values every event of the class invalidates; add tags, or declare
    `NO_CACHE_TAGS` for events that change no part of the register response that clients share."""
    reveals_users: ClassVar[bool] = False
    """Whether events of the class can show a reader a user who was not visible to them before."""
    is_internal: ClassVar[bool] = False
    """True for notifications between processes, which no client receives."""
    shape: ClassVar[Shape | None] = None
    """The body as documented, where that is not the event's own fields."""

    @classmethod
    @override
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if "type" not in cls.__dict__ and "op" not in cls.__dict__:
            return
        if registry.setdefault(cls.name(), cls) is not cls:
            raise TypeError(f"two event classes are called {cls.name()}")

    @classmethod
    def name(cls) -> str:
        return cls.type if cls.op is None else f"{cls.type}/{cls.op}"

    def is_for(self, view: ClientView) -> bool:
        """Whether this reader's client can use the event; the audience is checked separately."""
        return view.profile.wants(self.type)

    def variant(self, view: ClientView) -> Hashable:
        """Return what the body depends on; equal variants have equal bodies."""
        del view
        return None

    def body(self, view: ClientView) -> dict[str, Any]:
        """Return the event's own keys as this reader sees them."""
        del view
        return self.model_dump(mode="json", include=set(self.wire_fields()))

    def bodies(self, view: ClientView) -> Sequence[dict[str, Any]]:
        """Return what this reader's client receives: one event, unless it is sent in pieces.

        The pieces have one number and ids of their own; only logged events have several.
        """
        return [self.body(view)]

    def count_for(self, view: ClientView) -> int:
        """Return the number of pieces that `bodies` returns."""
        del view
        return 1

    @classmethod
    def wire_fields(cls) -> tuple[str, ...]:
        """Return the keys clients may receive, beside `id`, `type` and `op`."""
        return tuple(
            name
            for name, field in cls.model_fields.items()
            if not any(isinstance(item, ServerOnly) for item in field.metadata)
        )

    def field_cache_tags(self) -> Iterable[CacheTag]:
        """Return further cache tags, those that depend on the event's fields."""
        return ()

    @property
    def is_complete(self) -> bool:
        """False for an event whose fields describe its items instead of listing them."""
        return True

    async def complete(self, db: DatabaseSession) -> "Event":
        """Return the event with all items listed; called when a client is about to receive it."""
        del db
        return self

    def quoted_message(self) -> MessageId | None:
        """Return the message whose text it carries; when that is deleted, the event is erased."""
        return None

    def erased_messages(self) -> Sequence[MessageId]:
        """Return the messages that were deleted, not moved: no client may receive their texts."""
        return ()

    def revealed_user(self, reader_id: UserId) -> UserId | None:
        """Return the user who becomes visible to a reader by the event."""
        del reader_id
        return None

    def restarted_users(self) -> frozenset[UserId]:
        """Return the users whose clients must register again: their earlier queues end."""
        return frozenset()

    def ended_queues(self) -> frozenset[QueueId]:
        """Return the deleted event queues: no process may serve them, waiting polls end."""
        return frozenset()


class UnknownEvent(Event):
    """Stands for an event that a newer version of the service has written.

    Clients of this version would not know it either. What it changes is unknown, so every cache
    of the realm is invalidated.
    """

    type = "not_understood"
    is_internal = True
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}

    name_in_log: str


class Erased(Event):
    """Stands for an event that carried the text of a message that is deleted.

    Numbers have no gaps, so the event keeps its own. A process that reads it from the log has not
    seen what it said; the event of the deletion follows, perhaps some requests later.
    """

    type = "erased"
    is_internal = True
    cache_tags: ClassVar = frozenset({AnyMessageTag()})


class QueuesDeleted(Event):
    """Event queues were deleted; processes that have them in memory evict them."""

    type = "queues_ended"
    is_internal = True
    cache_tags: ClassVar = NO_CACHE_TAGS

    queue_ids: frozenset[QueueId]

    @override
    def ended_queues(self) -> frozenset[QueueId]:
        return self.queue_ids


def load_event(name: str, body: str) -> Event:
    """Return the event that a log row holds."""
    return registry[name].model_validate_json(body)
