"""Finds uploaded files that a text might show, before it is rendered."""

import re
from urllib.parse import unquote

from chatapi.rendering.uploaded_media import UPLOADS

MAX_PREVIEWS = 24
"""In one message; later ones stay links."""
_ADDRESS = re.compile(
    rf"{UPLOADS}(\d{{1,18}}/[\w-]{{2}}/[\w-]{{1,100}}/[^\s/()<>\[\]\"'?#`]{{1,300}})"
)


def find_upload_paths(content: str) -> list[str]:
    """The paths of uploaded files that a text might link, without the prefix and escapes."""
    if UPLOADS not in content:
        return []
    found = dict.fromkeys(unquote(match[1]) for match in _ADDRESS.finditer(content))
    return list(found)[:MAX_PREVIEWS]
