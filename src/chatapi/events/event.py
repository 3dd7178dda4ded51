"""The base of all events: frozen, typed, declared once in the feature that causes them."""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, TypeAlias

from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from chatapi.core.ids import ChannelId, MessageId, QueueId, UserId
from chatapi.db.session import DatabaseSession
from chatapi.events.client import ClientView

registry: dict[str, type["Event"]] = {}
"""Every event class by its name, `type` or `type/op`."""


Shape: TypeAlias = type
"""A TypedDict; inside an event `type` is a name."""


class ServerOnly:
    """Marks a field that is kept for decisions of ours: clients never receive it."""


class Event(BaseModel):
    """Something that happened; its fields are what the log keeps of it.

    What a client receives is `body`. Where it depends on the reader, `variant` names the few
    different forms, so that each is encoded once and not once per client.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: ClassVar[str]
    op: ClassVar[str | None] = None
    is_logged: ClassVar[bool] = True
    """False for what is only worth telling those who are listening now, such as typing."""
    changes_shared_state: ClassVar[bool] = True
    """False for what changes nothing that many clients of a realm begin with alike."""
    is_internal: ClassVar[bool] = False
    """True for notes between processes that no client ever receives."""
    shape: ClassVar[Shape | None] = None
    """What the documentation says of the body, where that is not the event's own fields."""

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
        """Whether this reader's client can use the event at all; audiences come first."""
        return view.profile.wants(self.type)

    def variant(self, view: ClientView) -> Hashable:
        """What the form of the body depends on; equal variants have equal bodies."""
        del view
        return None

    def body(self, view: ClientView) -> dict[str, Any]:
        """The event's own keys as this reader sees them."""
        del view
        return self.model_dump(mode="json", include=set(self.wire_fields()))

    def bodies(self, view: ClientView) -> Sequence[dict[str, Any]]:
        """What this reader's client receives: one event, unless it needs to be told in pieces.

        The pieces have one number and ids of their own; only logged events have several.
        """
        return [self.body(view)]

    def count_for(self, view: ClientView) -> int:
        """How many pieces that is."""
        del view
        return 1

    @classmethod
    def wire_fields(cls) -> tuple[str, ...]:
        """The keys clients may receive, beside `id`, `type` and `op`."""
        return tuple(
            name
            for name, field in cls.model_fields.items()
            if not any(isinstance(item, ServerOnly) for item in field.metadata)
        )

    @property
    def is_complete(self) -> bool:
        """False for an event that describes what it is about instead of listing it."""
        return True

    async def complete(self, db: DatabaseSession) -> "Event":
        """The event with everything listed; asked for when a client is about to receive it."""
        del db
        return self

    def quoted_message(self) -> MessageId | None:
        """The message whose text it carries: when that is deleted, the event is of no use."""
        return None

    def erased_messages(self) -> Sequence[MessageId]:
        """The messages that ceased to be: nobody may receive their texts any more."""
        return ()

    def sent_message(self) -> MessageId | None:
        """The message it tells of, if it is a new one."""
        return None

    def deleted_messages(self) -> Sequence[MessageId]:
        """The messages that are no longer there."""
        return ()

    def ended_topic(self) -> tuple[ChannelId, str] | None:
        """The topic whose last message went, and its conversation with it."""
        return None

    def changed_users(self) -> frozenset[UserId]:
        """Whose name, role, rights or profile is no longer what a cache may say."""
        return frozenset()

    def revoked_users(self) -> frozenset[UserId]:
        """Whose credentials ended: their waiting polls end with them."""
        return frozenset()

    def restarted_users(self) -> frozenset[UserId]:
        """Whose clients are to register again: their queues that began before it end with it."""
        return frozenset()

    def ended_queues(self) -> frozenset[QueueId]:
        """Which event queues are gone: no process may serve them, waiting polls end."""
        return frozenset()

    def changed_channels(self) -> frozenset[ChannelId]:
        """Which channels are no longer what a cache may say."""
        return frozenset()

    def moves_conversations(self) -> bool:
        """Whether a topic may have another name or channel than a cache says."""
        return False

    def changes_recipient_preferences(self) -> bool:
        """Whether somebody watches for other words, or mutes other people, than a cache says."""
        return False

    def changes_linkifiers(self) -> bool:
        """Whether other texts become links, or other links, than a cache says."""
        return False

    def changes_realm(self) -> bool:
        """Whether settings of the realm are no longer what a cache may say."""
        return False


class UnknownEvent(Event):
    """Stands for an event that a newer version of the service has written.

    Its clients would not know it either; but as nobody can say what it changes, every cache
    about the realm starts anew.
    """

    type = "not_understood"
    is_internal = True

    name_in_log: str

    @override
    def changes_realm(self) -> bool:
        return True


class Erased(Event):
    """Stands for an event that carried the text of a message that is deleted.

    Numbers have no gaps, so the event keeps its own. That of the deletion says what caches need.
    """

    type = "erased"
    is_internal = True
    changes_shared_state: ClassVar = False


class QueuesDeleted(Event):
    """Event queues were deleted; processes that have them in memory forget them."""

    type = "queues_ended"
    is_internal = True
    changes_shared_state: ClassVar = False

    queue_ids: frozenset[QueueId]

    @override
    def ended_queues(self) -> frozenset[QueueId]:
        return self.queue_ids


def load_event(name: str, body: str) -> Event:
    """The event a log row holds."""
    return registry[name].model_validate_json(body)
