"""What `pytest --quick` leaves to the full run; without the option everything runs.

- Tests marked `slow` do not run: they take over a second of processor time, or wait long. A smaller
  test of the same kind, or another case of the same test, is not marked.
- Tests marked `any_database` run on SQLite only: neither locks nor order matter to them, and when
  they were marked, at least three other tests sent each of their statements to PostgreSQL.
- Random tests try a part of what they try otherwise, unless the environment says how much.
"""

import os

import pytest

SMALL_SIZES = {
    "CHATAPI_TEST_HISTORIES": "4",
    "CHATAPI_TEST_FUZZ_CASES": "250",
    "CHATAPI_TEST_READERS": "6",
    "CHATAPI_TEST_NARROWS": "40",
    "CHATAPI_TEST_ORGANIZATIONS": "6",
    "CHATAPI_TEST_TEXTS": "60",
}
"""Read by the tests when they are imported."""


def choose_small_sizes() -> None:
    for name, size in SMALL_SIZES.items():
        os.environ.setdefault(name, size)


def runs_in_quick_run(item: pytest.Item) -> bool:
    if item.get_closest_marker("slow"):
        return False
    if item.get_closest_marker("any_database"):
        case = getattr(item, "callspec", None)
        return case is None or case.params.get("backend") != "postgresql"
    return True
