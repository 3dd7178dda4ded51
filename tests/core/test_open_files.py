"""Counting open files, and raising their limit to what the system allows."""

import resource
from collections.abc import Iterator

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.core.open_files import OpenFileUsage, open_file_usage, raise_open_file_limit
from chatapi.core.settings import Settings
from chatapi.jobs.periodic_jobs import watch_open_files
from tests.support.log_lines import collected_log


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"log_level": "warning"})


@pytest.fixture
def limits() -> Iterator[tuple[int, int]]:
    """The soft and the hard limit; what a test does to them is undone."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield before
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_open_files_are_counted() -> None:
    before = open_file_usage().open
    with open(__file__, "rb"), open(__file__, "rb"):  # noqa: PTH123 (two of them)
        assert open_file_usage().open == before + 2


def test_soft_limit_is_raised_to_the_hard_one(limits: tuple[int, int]) -> None:
    _soft, hard = limits
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))
    raise_open_file_limit()
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)


@pytest.mark.parametrize(("count", "is_near"), [(80, False), (81, True)])
def test_four_fifths_are_near_the_limit(count: int, is_near: bool) -> None:
    assert OpenFileUsage(count, 100).is_near_limit is is_near


async def test_warning_is_logged_before_the_limit_is_reached(
    runtime: Runtime, limits: tuple[int, int]
) -> None:
    with collected_log() as logs:
        await watch_open_files(runtime)
    assert logs == []
    used = open_file_usage().open
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 3, limits[1]))
    with collected_log() as logs:
        await watch_open_files(runtime)
    assert [line["event"] for line in logs] == ["open_files_near_limit"]
