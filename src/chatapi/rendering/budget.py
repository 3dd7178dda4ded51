"""Limits the work of rendering one text.

It is counted in steps of the parser instead of measured, so that a text is always rendered the
same, however busy the machine is. A step takes some five microseconds.
"""

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

MAX_STEPS = 24_000
"""A list of single letters, as long as a message may be, takes nearly all of it."""
_LINE_STEPS = 2
_LINK_STEPS = 20
_TABLE_STEPS = 8
_CELL_STEPS = 2
_KEY = "chatapi budget"
_ENDS = ["paragraph", "reference", "blockquote", "list"]


class TooMuchWorkError(Exception):
    """Rendering the text would take longer than any text may take."""


@dataclass(slots=True)
class RenderingBudget:
    """The steps that are left for a text."""

    left: int = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Raise `TooMuchWorkError` if fewer steps are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWorkError


def with_budget(env: EnvType) -> EnvType:
    """Returns the parser's environment for one text, with a new budget."""
    return {**env, _KEY: RenderingBudget()}


def spend_link(env: EnvType) -> None:
    """Call it before checking whether a bracket begins a link, which reads ahead."""
    _budget(env).spend(_LINK_STEPS)


def spend_table(env: EnvType, cells: int) -> None:
    _budget(env).spend(_TABLE_STEPS + cells * _CELL_STEPS)


def add_budget(parser: MarkdownIt) -> None:
    """Count each attempt of the parser to match rules at a place; call it when all are added."""
    inline, block = parser.inline.ruler, parser.block.ruler
    inline.before(inline.get_all_rules()[0], "budget", _count_place)
    block.before(block.get_all_rules()[0], "budget", _count_line, {"alt": _ENDS})


def _count_place(state: StateInline, _silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    _budget(state.env).spend(1)
    return False


def _count_line(state: StateBlock, _first: int, _end: int, _silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    _budget(state.env).spend(_LINE_STEPS)
    return False


def _budget(env: EnvType) -> RenderingBudget:
    budget: RenderingBudget = env[_KEY]
    return budget
