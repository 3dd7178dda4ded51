"""All tables, one module per family; importing this package fills the metadata."""

from chatapi.db.base import Base
from chatapi.db.models.event import EventQueueRow, EventRow, RealmClock
from chatapi.db.models.group import GroupMember, GroupSubgroup, UserGroup
from chatapi.db.models.profile import ProfileField, ProfileValue
from chatapi.db.models.realm import Realm
from chatapi.db.models.user import ApiKey, User

__all__ = [
    "ApiKey",
    "EventQueueRow",
    "EventRow",
    "GroupMember",
    "GroupSubgroup",
    "ProfileField",
    "ProfileValue",
    "Realm",
    "RealmClock",
    "User",
    "UserGroup",
    "metadata",
]

metadata = Base.metadata
