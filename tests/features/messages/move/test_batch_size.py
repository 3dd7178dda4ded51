"""How many messages one transaction moves."""

from chatapi.features.messages.move.batch_size import BatchSize

MOST = 300


def test_shrinks_while_transactions_take_too_long_and_grows_again() -> None:
    size = BatchSize(MOST)
    size.adapt(0.08)
    assert MOST / 2 <= size.current < MOST
    for _ in range(10):
        size.adapt(0.001)
    assert size.current == MOST


def test_does_not_shrink_below_what_takes_the_same_time_for_any_number() -> None:
    size = BatchSize(MOST)
    for _ in range(10):
        size.adapt(10)
    assert size.current == 100


def test_never_exceeds_the_setting() -> None:
    size = BatchSize(1)
    size.adapt(0.001)
    size.adapt(10)
    assert size.current == 1
