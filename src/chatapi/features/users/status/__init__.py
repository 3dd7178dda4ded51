"""User status: a short text and an emoji beside a user's name."""
