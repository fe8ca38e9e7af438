"""The contract's ILIKE patterns: `%` any text, `_` any character, everything else as it stands."""

from __future__ import annotations

from typing import Any

from django.db.models import CharField, Lookup, Q


@CharField.register_lookup
class ILike(Lookup):
    """`field__ilike=pattern`; a backslash in the pattern is a plain character."""

    lookup_name = "ilike"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """`field ILIKE pattern`."""
        left, left_params = self.process_lhs(compiler, connection)
        pattern = str(self.rhs).replace("\\", "\\\\")
        return f"{left} ILIKE %s", (*left_params, pattern)


def ilike(field: str, pattern: str) -> Q:
    """The condition that `field` matches `pattern`."""
    return Q(**{f"{field}__ilike": pattern})
