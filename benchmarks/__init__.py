"""Measures the service beside a bare endpoint of the same framework, on the same machine."""
