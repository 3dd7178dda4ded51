"""The clock and event log of each realm, and the queues that read the log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, text

from chatapi.db.base import Base, BigId, TableColumn, table_column
from chatapi.db.partial_indexes import partial_index


class RealmClock(Base):
    """One row per realm; the transaction that holds its lock is the only writer of the realm."""

    __tablename__ = "realm_clock"

    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"), primary_key=True)
    last_event: TableColumn[int] = table_column(BigId)
    log_floor: TableColumn[int] = table_column(BigId)
    """Events up to this number are no longer in the log."""


class EventRow(Base):
    """One event of a realm's log, written in the transaction that emitted it."""

    __tablename__ = "event"
    __table_args__ = (
        Index(None, "created_at"),
        partial_index(
            None,
            "message_id",
            sqlite="message_id IS NOT NULL",
            postgresql="message_id IS NOT NULL",
        ),
    )

    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"), primary_key=True)
    number: TableColumn[int] = table_column(BigId, primary_key=True)
    name: TableColumn[str] = table_column(String(60))
    """`type` or `type/op`: the event class of the body."""
    audience: TableColumn[str] = table_column(Text)
    body: TableColumn[str] = table_column(Text)
    created_at: TableColumn[datetime]
    message_id: TableColumn[int | None] = table_column(BigId)
    """The message whose text is in the body, so that the text can be deleted with the message."""


class Epoch(Base):
    """Each process begins one; see `events/epochs.py`."""

    __tablename__ = "epoch"

    id: TableColumn[int] = table_column(BigId, primary_key=True)
    began_at: TableColumn[datetime]


class EpochStart(Base):
    """The last event of a realm's log when an epoch began."""

    __tablename__ = "epoch_start"

    epoch_id: TableColumn[int] = table_column(BigId, ForeignKey("epoch.id"), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"), primary_key=True)
    last_event: TableColumn[int] = table_column(BigId)


class EventQueueRow(Base):
    """A client's position in the log: a cursor, not a list of events."""

    __tablename__ = "event_queue"
    __table_args__ = (Index(None, "user_id", "expires_at"), Index(None, "expires_at"))

    id: TableColumn[str] = table_column(String(40), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    client: TableColumn[dict[str, Any]]
    """The parameters of POST /register that the client chose."""
    position: TableColumn[int] = table_column(BigId)
    """Id of the last event before the queue, or of the last one its client has acknowledged."""
    idle_seconds: TableColumn[int]
    expires_at: TableColumn[datetime]
    epoch: TableColumn[int] = table_column(BigId, server_default=text("0"))
    """The newest epoch when a process last verified that the queue belongs to this history."""
