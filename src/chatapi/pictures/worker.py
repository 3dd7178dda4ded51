"""The drawing process: `python -m chatapi.pictures.worker RECIPE < file`.

A decoder that a hostile file breaks, stops or makes greedy is on its own here: this process has no
secrets, no network to talk to, and ends soon. It writes one line of JSON and then the content of
all variants, one after the other.
"""

import json
import resource
import sys

from chatapi.pictures.limits import MAX_CPU_SECONDS, MAX_MEMORY
from chatapi.pictures.recipes import DrawnPicture, Recipe


def main() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Imported under the limits.
    from PIL import UnidentifiedImageError  # noqa: PLC0415

    from chatapi.pictures.drawing import RefusedPictureError, draw  # noqa: PLC0415

    try:
        picture = draw(sys.stdin.buffer, Recipe.decode(sys.argv[1]))
    except UnidentifiedImageError:
        _write({"error": "Invalid image format: use PNG, GIF, JPEG or WebP"})
    except RefusedPictureError as error:
        _write({"error": str(error)})
    except Exception:  # noqa: BLE001 (which one a broken file causes depends on its format)
        _write({"error": "The image could not be read"})
    else:
        _write_picture(picture)


def _write_picture(picture: DrawnPicture) -> None:
    _write(
        {
            "width": picture.width,
            "height": picture.height,
            "content_type": picture.content_type,
            "is_animated": picture.is_animated,
            "variants": {name: len(content) for name, content in picture.variants.items()},
        }
    )
    for content in picture.variants.values():
        sys.stdout.buffer.write(content)


def _write(header: dict[str, object]) -> None:
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n")


if __name__ == "__main__":
    main()
