"""Generated examples, where none is declared or recorded: every request can be tried as shown."""

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]


class Examples:
    """Generates values that are valid for a schema."""

    def __init__(self, resolve: Callable[[Schema], Schema]) -> None:
        self._resolve = resolve

    def example(self, schema: Schema, name: str) -> Any:  # noqa: ANN401 (any JSON value)
        """Returns the declared example, else the default, else a plain value of the type."""
        schema = self._resolve(schema)
        if schema.get("examples"):
            return schema["examples"][0]
        if schema.get("default") is not None:
            return schema["default"]
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        for alternatives in ("anyOf", "oneOf"):
            if alternatives in schema:
                return self.example(schema[alternatives][0], name)
        return self._plain(schema, name)

    def _plain(self, schema: Schema, name: str) -> Any:  # noqa: ANN401 (any JSON value)
        match schema.get("type"):
            case "boolean":
                return True
            case "integer" | "number":
                return min(max(1, schema.get("minimum", 1)), schema.get("maximum", 1))
            case "array":
                item = self.example(schema.get("items", {}), name.removesuffix("s"))
                return [item] * max(1, schema.get("minItems", 1))
            case "object":
                return self._object(schema)
            case "null":
                return None
            case _:
                return name.replace("_", " ")[: schema.get("maxLength")]

    def _object(self, schema: Schema) -> dict[str, Any]:
        properties = schema.get("properties", {})
        return {name: self.example(properties[name], name) for name in schema.get("required", ())}
