"""How far read positions advance, without a database."""

import pytest

from chatapi.core.ids import MessageId
from chatapi.features.messages.flags.rules import advance

LAST = MessageId(20)


@pytest.mark.parametrize(
    ("first_unread", "marked", "boundary", "beyond"),
    [
        # All that was unread: everything up to the last message is read now.
        ([11, 13], {11, 13}, 20, []),
        # The first one only: up to just before the next.
        ([11, 13], {11}, 12, []),
        # Not the first one: nothing moves.
        ([11, 13], {13}, None, [13]),
        # The first and a later one.
        ([11, 13, 15], {11, 15}, 12, [15]),
        ([11, 13, 15, 17], {11, 13, 17}, 14, [17]),
    ],
)
def test_marking_advances_the_read_position(
    first_unread: list[int], marked: set[int], boundary: int | None, beyond: list[int]
) -> None:
    result = advance(
        [MessageId(number) for number in first_unread],
        {MessageId(number) for number in marked},
        LAST,
    )
    assert (result.boundary, result.beyond) == (boundary, beyond)
