"""The audit log: who changed which setting, role, permission or key, and who logged in."""
