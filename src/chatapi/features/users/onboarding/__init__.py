"""Onboarding steps: introductions that clients show each user once."""
