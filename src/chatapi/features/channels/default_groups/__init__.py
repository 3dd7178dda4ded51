"""Groups of default channels: channels that new users can choose to join together."""
