"""Reads values of a document by path; what is missing is refused by its name."""

from collections.abc import Iterator

from chatapi.core.errors import BadRequestError

Path = tuple[str, ...]


class Document:
    """A JSON value that another program sent: nothing about its form is certain.

    Paths are keys with dots between them. The `get_` methods refuse a document without the value,
    the others return an empty one.
    """

    def __init__(self, value: object, place: str = "") -> None:
        self.value = value
        self._place = place

    def get(self, path: str) -> "Document":
        found = self.at(path)
        if found.value is None:
            raise BadRequestError(f"The document has no '{found.name}'")
        return found

    def get_text(self, path: str) -> str:
        found = self.get(path)
        if not isinstance(found.value, str | int | float):
            raise BadRequestError(f"'{found.name}' in the document is not text")
        return str(found.value)

    def at(self, path: str) -> "Document":
        """The value at a path, or a document of nothing."""
        value = self.value
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return Document(value, f"{self._place}.{path}" if self._place else path)

    def text(self, path: str, default: str = "") -> str:
        value = self.at(path).value
        return str(value) if isinstance(value, str | int | float) else default

    def items(self, path: str) -> list["Document"]:
        """The elements of a list; none if it is no list."""
        found = self.at(path)
        values = found.value if isinstance(found.value, list) else []
        return [Document(each, f"{found.name}[{n}]") for n, each in enumerate(values)]

    def texts(self, path: str) -> Iterator[tuple[str, str]]:
        """The entries of an object that are text."""
        value = self.at(path).value
        for key, each in value.items() if isinstance(value, dict) else ():
            if isinstance(each, str | int | float):
                yield key, str(each)

    def is_true(self, path: str) -> bool:
        return self.at(path).value is True

    def __bool__(self) -> bool:
        return bool(self.value)

    @property
    def name(self) -> str:
        return self._place or "document"
