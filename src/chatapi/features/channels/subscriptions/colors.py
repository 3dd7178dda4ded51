"""Colours of channels: each new subscription of a user gets the next colour of a palette; pure."""

import re

PALETTE = (
    "#76ce90",
    "#fae589",
    "#a6c7e5",
    "#e79ab5",
    "#bfd56f",
    "#f4ae55",
    "#b0a5fd",
    "#addfe5",
    "#f5ce6e",
    "#c2726a",
    "#94c849",
    "#bd86e5",
    "#ee7e4a",
    "#a6dcbf",
    "#95a5fd",
    "#53a063",
    "#9987e1",
    "#e4523d",
    "#c2c2c2",
    "#4f8de4",
    "#c6a8ad",
    "#e7cc4d",
    "#c8bebf",
    "#a47462",
)
_COLOR = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


def next_color(channels_so_far: int) -> str:
    """Colours are assigned in order, so none is used twice before all were used once."""
    return PALETTE[channels_so_far % len(PALETTE)]


def is_color(text: str) -> bool:
    return _COLOR.fullmatch(text) is not None
