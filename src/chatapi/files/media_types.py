"""The types of files that a browser may show or play in place; all others are downloads."""

VIDEO_TYPES = frozenset({"video/mp4", "video/webm"})
"""Of the containers that every browser and phone can play."""
SOUND_TYPES = frozenset(
    {
        "audio/aac",
        "audio/flac",
        "audio/mp4",
        "audio/mpeg",
        "audio/ogg",
        "audio/wav",
        "audio/webm",
    }
)
INLINE_TYPES = (
    VIDEO_TYPES
    | SOUND_TYPES
    | {
        "image/apng",
        "image/avif",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "text/plain",
    }
)
"""Types a browser can show and cannot run."""
DOWNLOAD_TYPE = "application/octet-stream"
_OTHER_NAMES = {
    "audio/mp3": "audio/mpeg",
    "audio/vnd.wave": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/x-aac": "audio/aac",
    "audio/x-flac": "audio/flac",
    "audio/x-m4a": "audio/mp4",
    "audio/x-wav": "audio/wav",
}
"""What browsers call some types of sound."""
_TYPES_BY_EXTENSION = {
    "aac": "audio/aac",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "webm": "video/webm",
}
"""For clients that upload a file without saying what it is."""


def inline_type(declared: str, name: str) -> str | None:
    """The type with which a file is shown in place; None if it has to be downloaded.

    `declared` is the content type that the uploading client sent. The name of the file counts only
    where that says nothing, and only for videos and sound.
    """
    kind = declared.partition(";")[0].strip().lower()
    kind = _OTHER_NAMES.get(kind, kind)
    if kind == DOWNLOAD_TYPE:
        kind = _TYPES_BY_EXTENSION.get(name.rpartition(".")[2].lower(), kind)
    return kind if kind in INLINE_TYPES else None
