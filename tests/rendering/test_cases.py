"""The cases of `cases.md`: texts beside the HTML they become."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from chatapi.rendering import render_message
from tests.rendering.people import DIRECTORY
from tests.rendering.safety import assert_harmless, assert_links_have_targets

_FILE = Path(__file__).with_name("cases.md")
_CASE = re.compile(r"(?m)^`{8}text\n(.*?)\n`{8}\n`{8}html\n(.*?)\n?`{8}$", re.DOTALL)
_REL = ' rel="noopener noreferrer nofollow"'


class Case(NamedTuple):
    text: str
    html: str


def read_cases() -> list[Case]:
    return [Case(text, html) for text, html in _CASE.findall(_FILE.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: repr(case.text))
def test_text_becomes_its_html(case: Case) -> None:
    html = render_message(case.text, DIRECTORY).html
    assert_harmless(html)
    assert_links_have_targets(html)
    assert html.replace(_REL, "") == case.html


def test_there_are_more_than_three_hundred_different_cases() -> None:
    assert len({case.text for case in read_cases()}) > 300
