"""Permission settings, group membership, and the checks of what a user may see and do."""
