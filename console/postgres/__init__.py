"""The embedded PostgreSQL and the two roles that use it.

`launcher` runs the server, `base` is the Django backend that starts it on the first connection, `config` makes the
DATABASES setting, `setup` creates roles, database and extensions.
"""

from __future__ import annotations


class PostgresUnavailable(Exception):
    """The database server cannot be used. The text says why and what to do."""
