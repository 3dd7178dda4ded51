"""Topic policies: muted, unmuted and followed topics of users."""
