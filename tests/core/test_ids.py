"""Keys that the service generates."""

import re

from chatapi.core.ids import new_api_key


def test_api_keys_are_distinct_and_consist_of_32_letters_and_digits() -> None:
    keys = {new_api_key() for _ in range(1_000)}
    assert len(keys) == 1_000
    assert all(re.fullmatch("[A-Za-z0-9]{32}", key) for key in keys)
