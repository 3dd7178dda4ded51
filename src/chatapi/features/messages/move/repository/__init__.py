"""Every SQL statement of moving messages."""

from chatapi.features.messages.move.repository._batches import (
    BatchRepository,
    Change,
    FoundMessages,
)
from chatapi.features.messages.move.repository._messages import MoveRepository
from chatapi.features.messages.move.repository._read_state import Places, ReadStateRepository

__all__ = [
    "BatchRepository",
    "Change",
    "FoundMessages",
    "MoveRepository",
    "Places",
    "ReadStateRepository",
]
