"""Length limits of texts: both POST /register and the parameter models use them."""

MAX_MESSAGE_LENGTH = 10_000
MAX_TOPIC_LENGTH = 60
MAX_CHANNEL_NAME_LENGTH = 60
MAX_CHANNEL_DESCRIPTION_LENGTH = 1024
MAX_CHANNEL_FOLDER_NAME_LENGTH = 60
MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH = 1024
MAX_REMINDER_NOTE_LENGTH = 500
MAX_SUBSCRIPTION_MESSAGES = 100
"""If more users are subscribed at once, no messages about it are sent to them."""
