"""Recorded statements are those of requests."""

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.events.epoch_rows import EpochRows
from chatapi.features.messages import find_next_call, find_next_due, find_next_move
from chatapi.features.uploads import find_next_image
from tests.support.statements import recorded_statements

ANY = ""


@pytest.mark.usefixtures("realm")
async def test_jobs_that_look_for_work_are_not_recorded(runtime: Runtime) -> None:
    with recorded_statements(runtime.database, ANY) as statements:
        async with runtime.reading() as db:
            await find_next_due(db)
            await find_next_call(db)
            await find_next_image(db)
            await find_next_move(db)
            await EpochRows(db).find_newest()
    assert statements == []
