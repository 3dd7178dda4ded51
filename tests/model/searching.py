"""Tries histories one after the other, and shows the first one that fails as short as possible."""

from collections.abc import Awaitable, Callable, Iterable

import pytest

from tests.model.client_history import History, shorten

FindFailure = Callable[[History], Awaitable[str | None]]
"""Lives through a history, and returns why it failed."""


async def assert_none_fails(
    histories: Iterable[tuple[str, History]], find_failure: FindFailure
) -> None:
    """Fail at the first history, each of which has a name, that fails."""

    async def fails(history: History) -> bool:
        return await find_failure(history) is not None

    for name, history in histories:
        if not await fails(history):
            continue
        short = await shorten(history, fails)
        steps = "\n".join(f"    {each!r}" for each in short.rounds)
        why = await find_failure(short) or "It did not fail again."
        pytest.fail(f"History {name} fails; shortened:\n{steps}\n{why}", pytrace=False)
