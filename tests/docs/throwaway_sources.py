"""The source of the feature that tests/docs/throwaway_feature.py writes."""

PARAMS = '''\
"""Parameters of announcements."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params

MAX_LENGTH = 100


class AddAnnouncementParams(Params):
    """POST /announcements."""

    content: Annotated[str, Field(max_length=MAX_LENGTH, examples=["Lunch is ready."])]
    """What to announce, as plain text."""
'''

PAYLOADS = '''\
"""Payloads of announcements."""

from typing_extensions import TypedDict


class AnnouncementPayload(TypedDict):
    """An announcement."""

    id: int
    """Grows with every announcement."""
    author_id: int
    """The user who wrote it."""
    content: str
    """What is announced, as plain text."""


class AddedAnnouncementPayload(TypedDict):
    """The id of a new announcement."""

    id: int
    """Names it in `announcements` of `POST /register`."""
'''

EVENTS = '''\
"""Events about announcements."""

from typing import ClassVar

from chatapi.events.event import Event
from chatapi.features.realm.announcements.payloads import AnnouncementPayload


class AnnouncementAdded(Event):
    """An announcement was added."""

    type = "announcement"
    op: ClassVar = "add"

    announcement: AnnouncementPayload
    """The new announcement."""
'''

ERRORS = '''\
"""Errors about announcements."""

from dataclasses import dataclass

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class TooManyAnnouncementsError(ApiError):
    """An organization has as many announcements as it can have."""

    code = "TOO_MANY_ANNOUNCEMENTS"
    text = "An organization can have {limit} announcements at most"
    limit: int
    """How many there can be."""
'''

REALM_PERMISSION = """\
    CAN_ANNOUNCE = (
        "can_announce_group",
        PermissionSetting(SystemGroup.MODERATORS, "add announcements"),
    )
"""

CHANNEL_PERMISSION = """\
    CAN_ANNOUNCE = (
        "can_announce_in_channel_group",
        PermissionSetting("stream_creator_or_nobody", "announce something in the channel"),
    )
"""

GROUP_PERMISSION = """\
    CAN_ANNOUNCE = (
        "can_announce_to_group",
        _GroupSetting(SystemGroup.MEMBERS, "announce something to the group"),
    )
"""

MODEL = '''\
"""Announcements."""

from sqlalchemy import ForeignKey, Identity, Index, String

from chatapi.db.base import Base, BigId, TableColumn, table_column


class Announcement(Base):
    """A text for all users of a realm."""

    __tablename__ = "announcement"
    __table_args__ = (Index(None, "realm_id"),)

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    author_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    content: TableColumn[str] = table_column(String(100))
'''

REPOSITORY = '''\
"""Every SQL statement on announcements."""

from sqlalchemy import insert, select

from chatapi.core.ids import RealmId, UserId
from chatapi.db.models import Announcement
from chatapi.db.session import DatabaseSession
from chatapi.features.realm.announcements.payloads import AnnouncementPayload


class AnnouncementRepository:
    """Announcements of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_all(self) -> list[AnnouncementPayload]:
        rows = await self._db.execute(
            select(Announcement.id, Announcement.author_id, Announcement.content)
            .where(Announcement.realm_id == self._realm_id)
            .order_by(Announcement.id)
        )
        return [{"id": row[0], "author_id": row[1], "content": row[2]} for row in rows]

    async def add(self, author_id: UserId, content: str) -> int:
        rows = await self._db.execute(
            insert(Announcement)
            .values(realm_id=self._realm_id, author_id=author_id, content=content)
            .returning(Announcement.id)
        )
        return rows.scalar_one()
'''

SERVICE = '''\
"""Use case: add an announcement."""

from chatapi.auth.context import Context
from chatapi.events.audience import Everyone
from chatapi.features.realm.announcements.errors import TooManyAnnouncementsError
from chatapi.features.realm.announcements.events import AnnouncementAdded
from chatapi.features.realm.announcements.params import AddAnnouncementParams
from chatapi.features.realm.announcements.payloads import (
    AddedAnnouncementPayload,
    AnnouncementPayload,
)
from chatapi.features.realm.announcements.repository import AnnouncementRepository
from chatapi.permissions.realm import require_in_realm
from chatapi.permissions.settings import RealmPermission

MAX_ANNOUNCEMENTS = 5


class AnnouncementService:
    """Adds announcements to a realm, and lists them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = AnnouncementRepository(ctx.db, ctx.realm.id)

    async def list_all(self) -> list[AnnouncementPayload]:
        return await self._repository.list_all()

    async def add(self, params: AddAnnouncementParams) -> AddedAnnouncementPayload:
        """POST /announcements."""
        await self._ctx.lock()
        await require_in_realm(self._ctx, RealmPermission.CAN_ANNOUNCE)
        if len(await self._repository.list_all()) >= MAX_ANNOUNCEMENTS:
            raise TooManyAnnouncementsError(MAX_ANNOUNCEMENTS)
        author_id = self._ctx.user.id
        announcement_id = await self._repository.add(author_id, params.content)
        added: AnnouncementPayload = {
            "id": announcement_id,
            "author_id": author_id,
            "content": params.content,
        }
        self._ctx.emit(AnnouncementAdded(announcement=added), to=Everyone())
        return {"id": announcement_id}
'''

ROUTER = '''\
"""Endpoints of announcements."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.realm.announcements.errors import TooManyAnnouncementsError
from chatapi.features.realm.announcements.params import AddAnnouncementParams
from chatapi.features.realm.announcements.payloads import AddedAnnouncementPayload
from chatapi.features.realm.announcements.service import AnnouncementService
from chatapi.http.route import FeatureRouter, raises

router = FeatureRouter("Announcements", "Texts for all users of an organization.")


@router.post("/announcements", responses=raises(TooManyAnnouncementsError))
async def add_announcement(
    ctx: LoggedIn, params: AddAnnouncementParams
) -> AddedAnnouncementPayload:
    """Add an announcement.

    Needs the permission `can_announce_group`. Clients receive an `announcement/add` event.
    """
    return await AnnouncementService(ctx).add(params)
'''

STATE = '''\
"""The announcements part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.realm.announcements.payloads import AnnouncementPayload
from chatapi.features.realm.announcements.service import AnnouncementService
from chatapi.features.state import shared_by_all, state_section


class AnnouncementsState(TypedDict):
    """All announcements, by id."""

    announcements: list[AnnouncementPayload]
    """All announcements, by id."""


@state_section("announcement", cache_key=shared_by_all)
async def load_announcements(ctx: Context, profile: ClientProfile) -> AnnouncementsState:
    del profile
    return {"announcements": await AnnouncementService(ctx).list_all()}
'''
