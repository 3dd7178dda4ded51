"""Values of payloads that are encoded already."""

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema


class EncodedAs:
    """Documents JSON that is encoded already as a payload: `Annotated[Fragment, EncodedAs(P)]`."""

    def __init__(self, payload: type) -> None:
        self._payload = payload

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source
        return handler.generate_schema(self._payload)
