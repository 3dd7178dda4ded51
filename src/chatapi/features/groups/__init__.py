"""User groups: named sets of users, nested, with permissions of their own."""
