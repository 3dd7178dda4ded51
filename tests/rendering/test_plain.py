"""The fast path for texts without markup gives the same result as the parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatapi.rendering import EMPTY_DIRECTORY, render_message
from chatapi.rendering.environment import Environment
from chatapi.rendering.markdown import parse, write_html
from chatapi.rendering.plain import plain_html

TEXTS = st.text(alphabet="abwhtpsABZ019 ,.;?!()'%=+/-:@#*_`<>&\"[]|~$\\\n\té", max_size=40)


def parsed_html(content: str) -> str:
    environment = Environment(EMPTY_DIRECTORY)
    return write_html(parse(content, environment), environment)


@given(TEXTS)
def test_both_paths_agree(content: str) -> None:
    short = plain_html(content)
    assert short is None or short == parsed_html(content)


@pytest.mark.parametrize(
    "content",
    ["", "Hello world, how are you today?", "a", "It's 100% done (I think)!", "a - b + c/d"],
)
def test_ordinary_texts_take_the_fast_path(content: str) -> None:
    assert plain_html(content) == render_message(content, EMPTY_DIRECTORY).html


@pytest.mark.parametrize(
    "content",
    ["1. list", "- list", "www.example.com", "a WWW.example.com", "*x*", "a ", " a", "a\nb", "é"],
)
def test_other_texts_do_not_take_the_fast_path(content: str) -> None:
    assert plain_html(content) is None
