"""How much people want to see of topics: muted, unmuted, followed."""
