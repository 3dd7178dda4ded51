"""How many messages of a topic a move takes along."""

from typing import Literal

PropagateMode = Literal["change_one", "change_later", "change_all"]
