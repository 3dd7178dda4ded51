"""A bot that counts what it is told, and remembers the count in its storage."""

from typing import Any


class CountingHandler:
    """Replies with the number of messages so far; the bot library calls its methods."""

    def usage(self) -> str:
        return "Counts your messages."

    def handle_message(self, message: dict[str, Any], bot_handler: Any) -> None:
        try:
            count = bot_handler.storage.get("count") + 1
        except KeyError:
            count = 1
        bot_handler.storage.put("count", count)
        bot_handler.send_reply(message, f"{count}: {message['content']}")


handler_class = CountingHandler
