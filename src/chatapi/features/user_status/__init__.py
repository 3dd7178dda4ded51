"""User status: a few words and an emoji beside a person's name."""
