"""The icon and the logos of an organization."""
