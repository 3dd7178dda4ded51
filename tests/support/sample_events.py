"""Events that exist for the tests of the event core only."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, ClassVar

from typing_extensions import override

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber, QueueId, RealmId, UserId
from chatapi.core.roles import Role
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Audience, Everyone
from chatapi.events.cache_tags import SHARED_STATE, CacheTag, RealmTag, UserTag
from chatapi.events.client import ClientProfile, ClientView
from chatapi.events.entry import Entry
from chatapi.events.event import Event
from chatapi.events.log import EventLog
from chatapi.events.membership import NO_MEMBERSHIP


class Noted(Event):
    """Logged, and the same for every reader."""

    type: ClassVar[str] = "test_note"

    text: str


class Whispered(Event):
    """Ephemeral: delivered only to clients that are polling."""

    type: ClassVar[str] = "test_whisper"
    is_logged: ClassVar[bool] = False

    text: str


class Graded(Event):
    """Administrators see more of it."""

    type: ClassVar[str] = "test_grade"
    op: ClassVar[str | None] = "given"

    public: str
    private: str

    @override
    def variant(self, view: ClientView) -> bool:
        return view.role.at_least(Role.ADMIN)

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        hidden = {} if self.variant(view) else {"private": None}
        return {**self.model_dump(mode="json"), **hidden}


class Listed(Event):
    """Logged once, and delivered as one event per text."""

    type: ClassVar[str] = "test_list"

    texts: list[str]

    @override
    def bodies(self, view: ClientView) -> Sequence[dict[str, Any]]:
        return [{"text": text} for text in self.texts]

    @override
    def count_for(self, view: ClientView) -> int:
        return len(self.texts)


class PersonTouched(Event):
    """Internal: invalidates what is cached about these users."""

    type: ClassVar[str] = "test_person_touched"
    is_internal: ClassVar[bool] = True

    user_ids: frozenset[UserId]

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        return map(UserTag, self.user_ids)


class RealmTouched(Event):
    """Internal: invalidates what is cached about the realm."""

    type: ClassVar[str] = "test_realm_touched"
    is_internal: ClassVar[bool] = True
    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}


async def commit_events(
    runtime: Runtime, realm: RealmRecord, *events: Event, to: Audience | None = None
) -> None:
    """Commit events as a request would, all of them in one transaction."""
    work = runtime.begin()
    try:
        if any(event.is_logged for event in events):
            await work.db.lock_realm(realm.id)
        for event in events:
            work.emit(realm.id, event, to or Everyone())
        await work.commit()
    finally:
        await work.db.close()


async def append(db: DatabaseSession, realm: RealmRecord, event: Event, at: datetime) -> None:
    """Write an event under the lock of a session, and nothing else."""
    number = EventNumber(await db.lock_realm(realm.id) + 1)
    await EventLog(db).append(realm.id, [Entry(realm.id, number, event, Everyone())], at)


def entry(number: int, event: Event | None = None, to: Audience | None = None) -> Entry:
    return Entry(
        RealmId(1), EventNumber(number), event or Noted(text=str(number)), to or Everyone()
    )


def view(user_id: int = 1, role: Role = Role.MEMBER, **profile: Any) -> ClientView:
    return ClientView(
        user_id=UserId(user_id),
        role=role,
        profile=ClientProfile(**profile),
        sees_all_users=True,
        receives_typing=True,
        membership=NO_MEMBERSHIP,
        queue_id=QueueId("a-queue"),
    )
