"""Observes with which status a request is answered."""

from starlette.types import Message, Send


class StatusObserver:
    """Passed instead of `send`: passes everything on, and has the status from then on."""

    __slots__ = ("_send", "status")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        """0 until the response starts."""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)
