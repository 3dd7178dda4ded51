"""The order of tests for the workers of a parallel run."""

import pytest

from tests.support.run_order import BEGINNINGS, order_for

LONG = [f"{place}x{number}" for places in BEGINNINGS for place in places for number in range(2)]
SHORT = [f"tests/features/{number}" for number in range(100)]


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 200])
def test_no_test_is_lost_or_repeated(workers: int) -> None:
    names = sorted([*LONG, *SHORT])
    assert sorted(order_for(workers, names, names)) == names


def test_each_part_begins_with_its_long_tests() -> None:
    names = sorted([*LONG, *SHORT])
    ordered = order_for(len(BEGINNINGS), names, names)
    start = 0
    for number, places in enumerate(BEGINNINGS):
        expected = [f"{place}x{count}" for place in places for count in range(2)]
        assert ordered[start : start + len(expected)] == expected
        start += (len(names) - start) // (len(BEGINNINGS) - number)


def test_other_tests_keep_their_order() -> None:
    names = sorted([*LONG, *SHORT])
    ordered = order_for(3, names, names)
    assert [name for name in ordered if name in SHORT] == sorted(SHORT)
