"""Thousands of texts that nobody means well with."""

import time

from chatapi.rendering import find_references, render_message
from tests.rendering.hostility import hostile_texts
from tests.rendering.people import DIRECTORY
from tests.rendering.safety import assert_harmless

CASES = 8_000
LIMIT_SECONDS = 0.3


def test_become_harmless_in_time() -> None:
    for text in hostile_texts(CASES, seed=1, most_pieces=40):
        started = time.process_time()
        find_references(text)
        html = render_message(text, DIRECTORY).html
        assert time.process_time() - started < LIMIT_SECONDS, text
        assert_harmless(html)
