"""Every SQL statement of moving messages."""

from chatapi.features.messages.move.repository._messages import Change, MoveRepository
from chatapi.features.messages.move.repository._read_state import Places, ReadStateRepository

__all__ = ["Change", "MoveRepository", "Places", "ReadStateRepository"]
