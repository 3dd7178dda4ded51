"""What the service does by itself; each job is safe to run in every process at once."""

from chatapi.jobs.housekeeping import run_jobs

__all__ = ["run_jobs"]
