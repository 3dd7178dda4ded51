"""Statements that stop a realm's clock, alone or together with taking message ids."""

from sqlalchemy import BigInteger, bindparam, func, literal_column, select, true

from chatapi.db.models import RealmClock

_taken = func.generate_series(1, bindparam("count")).alias("taken")
_next_message_id = literal_column("nextval('message_id_seq')", BigInteger)

STOP_CLOCK = (
    select(RealmClock.last_event)
    .where(RealmClock.realm_id == bindparam("realm_id"))
    .with_for_update()
)
_stopped = STOP_CLOCK.cte("stopped")
STOP_CLOCK_AND_TAKE_IDS = select(_stopped.c.last_event, _next_message_id).select_from(
    _stopped.join(_taken, true())
)
"""On PostgreSQL. An id is taken only when the clock was read, and nobody else can take one."""
TAKE_IDS = select(_next_message_id).select_from(_taken)
