"""Thousands of hostile texts."""

from functools import partial

import pytest

from chatapi.rendering import find_references, render_message
from tests.rendering.hostility import hostile_texts
from tests.rendering.people import DIRECTORY
from tests.rendering.safety import assert_harmless, assert_links_have_targets
from tests.rendering.timing import assert_done_in_time

pytestmark = pytest.mark.slow

CASES = 8_000


def test_render_to_harmless_html_in_time() -> None:
    for text in hostile_texts(CASES, seed=1, most_pieces=40):
        html = assert_done_in_time(partial(_work_through, text))
        assert_harmless(html)
        assert_links_have_targets(html)


def _work_through(text: str) -> str:
    find_references(text)
    return render_message(text, DIRECTORY).html
