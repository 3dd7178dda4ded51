"""The state of clients from POST /register and events equals the database.

Whatever happens meanwhile, through whichever process, and however late they poll.

A history has a focus (one person and a few favourite actions), so that steps meet which together
make a fault. To see what the histories find, faults were put into the service one at a time. Where
200 histories on SQLite found each; which history does changes with every new action:

==================================================================  ====================
Fault                                                               Found in
==================================================================  ====================
Queues that are registered during a restart of clients go on        realm_users
Messages that were marked as read and then moved are not listed     unread
Drafts that were forgotten return with synchronization              drafts
Deletions leave direct conversations' last messages as they were    extents
The same, with extents not compared                                 recent conversations
A direct conversation that begins again keeps an old first message  extents
==================================================================  ====================

The first one depends on which of two requests is faster, and is not found every time.
"""

import os
from random import Random

import pytest

from tests.model.client_history import find_failure, random_history
from tests.model.processes import Processes
from tests.model.searching import assert_none_fails

HISTORIES = int(os.environ.get("CHATAPI_TEST_HISTORIES", "60"))
"""How many random histories run on SQLite; PostgreSQL runs a tenth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
"""The same histories each time, so that what fails is due to what was changed; others by choice."""
_PARTS = 4


@pytest.mark.parametrize("part", range(_PARTS))
async def test_clients_agree_with_database(processes: Processes, backend: str, part: int) -> None:
    share = HISTORIES // _PARTS if backend == "sqlite" else HISTORIES // _PARTS // 10
    names = (f"{_SEED}/{part}/{number}" for number in range(max(1, share)))
    histories = ((name, random_history(Random(name))) for name in names)
    await assert_none_fails(histories, lambda each: find_failure(processes, each))
