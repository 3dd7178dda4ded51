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
    failures: list[str] = []

    async def fails(history: History) -> bool:
        failure = await find_failure(history)
        if failure is not None:
            failures.append(failure)
        return failure is not None

    for name, history in histories:
        if not await fails(history):
            continue
        short = await shorten(history, fails)
        steps = "\n".join(f"    {each!r}" for each in short.rounds)
        # What depends on timing may not happen again: the first failure is all that tells of it.
        is_certain = await fails(short)
        why = failures[-1] if is_certain else f"It does not always fail. Before:\n{failures[0]}"
        pytest.fail(f"History {name} fails; shortened:\n{steps}\n{why}", pytrace=False)
