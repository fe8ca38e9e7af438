"""The list of memories."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.access import Actor, visible_to
from memories.models import Memory
from memories.pages import facets, keyset, picking, saved_views
from memories.pages.forms import ListFilter
from memories.services import facets as counting
from memories.services.status import in_status

LINE = 300  # characters of content that a row shows at most
ORDERS = {"created": "created_at", "updated": "updated_at"}


@require_safe
def memories(request: HttpRequest) -> HttpResponse:
    """Newest first, filtered by what the address says; the bare address leads to the view that comes first."""
    bar = saved_views.Bar.of(request)
    if bar.first and not request.GET:
        return redirect(bar.first)
    filters = ListFilter(request.GET, request.actor)
    context: dict[str, Any] = {"nav": "memories", "filters": filters, "bar": bar}
    if not filters.is_valid():
        return render(request, "memories/list.html", context, status=422)
    given = filters.cleaned_data
    context["page"] = keyset.page(
        [source(rows(request.actor, given), request.actor, given)], request.GET, request.path, size=given["limit"]
    )
    context |= {"order": given["order"], "status": given["status"], **beside(request, filters, counts=False)}
    context["selection"] = picking.of(request, context["page"], rows(request.actor, given))
    context["first_use"] = not context["page"].rows and not visible_to(request.actor, Memory.objects.all()).exists()
    return render(request, "memories/list.html", context)


@require_safe
def counted(request: HttpRequest) -> HttpResponse:
    """The facets of a list with their counts: a page of its own, or the part of the list that is fetched after it."""
    filters = ListFilter(request.GET, request.actor)
    context: dict[str, Any] = {"nav": "memories", "filters": filters}
    if not filters.is_valid():
        return render(request, "memories/narrow.html", context, status=422)
    context |= beside(request, filters, counts=True)
    part = bool(request.htmx) and not request.htmx.boosted
    return render(request, "memories/facets.html" if part else "memories/narrow.html", context)


def beside(request: HttpRequest, filters: ListFilter, *, counts: bool) -> dict[str, Any]:
    """The filters in force and the facets, in which a value leads to the list with it.

    Counting takes longer than the list, so it comes after it: without `counts` only values that are known anyway.
    """
    given, actor = filters.cleaned_data, request.actor
    found = counting.count(given=given, at=timezone.now(), actor=actor) if counts else None
    owners = facets.owner_names(found, given["owner"], actor)
    asked = facets.Asked(reverse("memories"), request.GET, given, actor, owners)
    filters.fields["owner"].widget.choices = [(key, name) for key, name in owners.items()]
    in_force = [chip | {"remove_url": asked.without(chip["field"])} for chip in chips(request, filters)]
    shown: dict[str, Any] = {"chips": in_force, "facets": facets.facets(found, asked)}
    counted = {"counted": found is not None, "list_url": asked.without("after")}
    return shown | (counted if counts else {"counts_url": asked.counts})


def lines(queryset: QuerySet[Memory]) -> QuerySet[Memory]:
    """`queryset` with what one row of a list shows, and not the whole content."""
    kept = (
        "memory_type",
        "path",
        "bucket",
        "scope",
        "created_at",
        "updated_at",
        "expires_at",
        "language",
        "pinned",
        "hold",
    )
    narrow = queryset.select_related("state").annotate(line=Left("content", LINE))
    states = ("state__status", "state__version", "state__importance")
    return narrow.only("id", "space_id", "owner_id", "team_id", *kept, *states)


def rows(actor: Actor, given: dict[str, Any]) -> QuerySet[Memory]:
    """The visible memories that the filters let through, as lines of a list."""
    return filtered(lines(Memory.objects.all()), actor, given)


def filtered(queryset: QuerySet[Memory], actor: Actor, given: dict[str, Any]) -> QuerySet[Memory]:
    """Those of `queryset` that the actor may see and the filters let through."""
    found = in_status(visible_to(actor, queryset), given["status"])
    return counting.narrowed(found, given, at=timezone.now())


def source(found: QuerySet[Memory], actor: Actor, given: dict[str, Any]) -> keyset.Source:
    """`found` in the order of the list."""
    field = ORDERS[given["order"]]
    spaces = [given["space"]] if given["space"] else list(actor.spaces)
    return keyset.Source(found, field, lambda row: getattr(row, field), spaces)


def chips(request: HttpRequest, form: Any) -> list[dict[str, str]]:
    """The filters in force, each with the address of the list without it."""
    found = []
    for bound in form:
        value = request.GET.get(bound.name)
        if not value or bound.name in ("order", "limit") or (bound.name, value) == ("status", "active"):
            continue
        rest = request.GET.copy()
        for name in (bound.name, "after", "before", "selected"):
            rest.pop(name, None)
        choices = dict(getattr(bound.field.widget, "choices", ()))
        url = f"{request.path}?{rest.urlencode()}"
        given = getattr(form, "cleaned_data", {}).get(bound.name)
        shown = choices.get(value, _("yes") if value == "on" else value)
        if isinstance(given, datetime):
            shown = _both_clocks(given)
        found.append({"field": bound.name, "name": bound.label.lower(), "value": shown, "remove_url": url})
    return found


def _both_clocks(at: datetime) -> str:
    """A moment on the reader's clock, and in UTC, in which it is asked for."""
    with suppress(OverflowError):  # at the ends of the calendar there is no such day in their zone
        told = (date_format(one, "DATETIME_FORMAT") for one in (timezone.localtime(at), at.astimezone(UTC)))
        return " = ".join(dict.fromkeys(told))
    return date_format(at.astimezone(UTC), "DATETIME_FORMAT")
