"""How many messages one transaction moves."""

from collections.abc import Iterator
from itertools import islice

import pytest

from chatapi.features.messages.move.batch_size import FEWEST, limit_exceptions, next_batch_size

MOST = 300


def sizes(first: int, fixed: float, per_message: float) -> Iterator[int]:
    """The sizes of a move's batches where each takes some time, and more for each message."""
    size = first
    while True:
        yield size
        size = next_batch_size(size, fixed + size * per_message, MOST)


@pytest.mark.parametrize("first", [FEWEST, MOST])
def test_batches_come_to_hold_the_lock_for_25_ms(first: int) -> None:
    fixed, per_message = 0.008, 0.0001
    settled = list(islice(sizes(first, fixed, per_message), 15))[-1]
    assert 0.024 < fixed + settled * per_message <= 0.025


def test_growing_batches_do_not_exceed_the_goal() -> None:
    fixed, per_message = 0.005, 0.0003
    for size in islice(sizes(FEWEST, fixed, per_message), 15):
        assert fixed + size * per_message <= 0.025


def test_a_batch_that_took_far_too_long_is_followed_by_a_quarter_of_it() -> None:
    assert next_batch_size(MOST, seconds=10, most=MOST) == MOST // 4


def test_batches_do_not_shrink_below_what_takes_the_same_time_for_any_number() -> None:
    assert next_batch_size(FEWEST, seconds=10, most=MOST) == FEWEST
    assert next_batch_size(1, seconds=0.05, most=MOST) == FEWEST


def test_batches_do_not_exceed_the_setting() -> None:
    assert next_batch_size(MOST, seconds=0, most=MOST) == MOST
    assert next_batch_size(3, seconds=0.001, most=3) == 3


def test_read_exceptions_of_many_readers_make_a_batch_smaller() -> None:
    assert limit_exceptions(300, readers=0) == 300
    assert limit_exceptions(300, readers=5) == 300
    assert limit_exceptions(300, readers=100) == 20
    assert limit_exceptions(300, readers=50_000) == 1
