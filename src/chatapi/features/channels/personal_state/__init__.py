"""Personal state: users' stars and topic policies, as far as the users may see their subjects."""
