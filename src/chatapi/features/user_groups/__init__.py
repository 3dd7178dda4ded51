"""User groups: named sets of people, nested, with permissions of their own."""
