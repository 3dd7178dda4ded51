"""The MathML that formulas may contain: elements and attributes that only describe a formula."""

import re

ELEMENTS = frozenset(
    {
        *("menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom"),
        *("mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup"),
        *("mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none"),
    }
)
ATTRIBUTES = frozenset(
    {
        *("accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth"),
        *("displaystyle", "fence", "form", "frame", "height", "largeop", "linethickness"),
        *("lspace", "mathcolor", "mathsize", "mathvariant", "maxsize", "minsize"),
        *("movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel"),
        *("separator", "stretchy", "symmetric", "voffset", "width"),
    }
)
VALUE = re.compile(r"[A-Za-z0-9 .+%#-]{0,60}")
"""No value is an address or a style."""
