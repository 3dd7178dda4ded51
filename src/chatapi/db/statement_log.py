"""The log of statements that run on a driver, without SQLAlchemy."""

import logging

# SQLAlchemy's own logger: an operator who switches on its log of statements sees these as well.
_statement_log = logging.getLogger("sqlalchemy.engine.Engine")


def log_driver_statement(sql: str, values: object) -> None:
    """Log a statement and its values, or what stands for them."""
    if _statement_log.isEnabledFor(logging.INFO):
        _statement_log.info("%s\n[on the driver] %s", sql, values)
