"""What went wrong, as a refusal: every exception becomes a sentence with a status, and nothing internal is shown."""

from __future__ import annotations

import logging

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError
from django.http import Http404, HttpRequest
from psycopg.errors import DeadlockDetected, IdleInTransactionSessionTimeout, QueryCanceled, SerializationFailure

from console.errors import Conflict, NotAllowed, NotFound, Refused, Unavailable
from console.saying import phrase

log = logging.getLogger("console")
GAVE_WAY = (DeadlockDetected, SerializationFailure)  # two waited for each other, and the database chose who goes on
OVER_TIME = (QueryCanceled, IdleInTransactionSessionTimeout)
GAVE_WAY_TO = phrase("Somebody wrote the same at this moment; nothing of yours was stored. Look at it again.")


class TookTooLong(Unavailable):
    """The database stopped a statement that took longer than one may."""

    code = "took_too_long"


class Broken(Refused):
    """A fault of ours. The reference finds the log line; nothing internal is shown."""

    status = 500
    code = "internal_error"


def as_refusal(request: HttpRequest, error: Exception) -> Refused:
    """`error` as a refusal; what is no refusal is logged under the audit id."""
    match error:
        case Refused():
            return error
        case Http404():
            return NotFound(phrase("There is nothing here."))
        case PermissionDenied():
            return NotAllowed(phrase("You may not do this."))
        case BadRequest() | SuspiciousOperation():
            return Refused(phrase("The request cannot be read. Check it and send it again."))
        case OperationalError() if isinstance(error.__cause__, GAVE_WAY):
            log.warning("gave way to another, reference %s", request.audit_id, exc_info=error)
            return Conflict(GAVE_WAY_TO, retry_after=1)
        case OperationalError() | InternalError() if isinstance(error.__cause__, OVER_TIME):
            log.warning("stopped for its time, reference %s", request.audit_id, exc_info=error)
            return TookTooLong(
                phrase(
                    "This took the database too long, so it was stopped and nothing was changed. "
                    "Ask for less at a time, or try again in a moment."
                )
            )
        case OperationalError() | InterfaceError():
            log.error("database unavailable, reference %s", request.audit_id, exc_info=error)
            return Unavailable(phrase("The database is busy. Try again in a moment."))
        case IntegrityError():
            log.error("two writers at once, reference %s", request.audit_id, exc_info=error)
            return Conflict(GAVE_WAY_TO)
    log.error("unexpected error, reference %s", request.audit_id, exc_info=error)
    return Broken(
        phrase(
            "Something went wrong here; nothing was changed. The reference is %(audit_id)s.", audit_id=request.audit_id
        )
    )
