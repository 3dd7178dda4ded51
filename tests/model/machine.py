"""Random realms: every step is done through the API and in the oracle, then compared."""

from tests.model.changing import Changing
from tests.model.comparing import Comparing
from tests.model.marking import Marking
from tests.model.talking import Talking


class Organization(Talking, Marking, Changing, Comparing):
    """One realm of a running service; hypothesis chooses the steps."""
