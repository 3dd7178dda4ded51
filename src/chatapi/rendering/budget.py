"""How much work one text may be.

It is counted in steps of the parser instead of measured, so that a text is always rendered alike,
however busy the machine is. A step takes some five microseconds.
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
    """The text would keep the process busy for longer than any text should."""


@dataclass(slots=True)
class RenderingBudget:
    """The steps that are left for a text."""

    left: int = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Raise `TooMuchWorkError` if there are not that many left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWorkError


def with_budget(env: EnvType) -> EnvType:
    """What the parser is given for one text."""
    return {**env, _KEY: RenderingBudget()}


def spend_link(env: EnvType) -> None:
    """Before looking whether a bracket begins a link, which reads on from there."""
    _budget(env).spend(_LINK_STEPS)


def spend_table(env: EnvType, cells: int) -> None:
    _budget(env).spend(_TABLE_STEPS + cells * _CELL_STEPS)


def add_budget(parser: MarkdownIt) -> None:
    """Count each time the parser looks what begins at a place; call it after all rules are in."""
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
